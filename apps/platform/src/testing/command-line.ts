import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import * as z from "zod";
import { demoUser } from "../demo-data/demo-files.js";
import { demoTenant } from "../settings/settings.js";
import { call } from "./call.js";
import type { TestApp } from "./start-test-app.js";
import { newTemporaryFolder } from "./temporary-folder.js";

const program = fileURLToPath(new URL("../../../../packages/cli/dist/main.js", import.meta.url));

/** The cache of compiled code that the tests share. */
const { NODE_COMPILE_CACHE } = process.env;

/** The built program `platform`, as its user starts it. Its files are in a temporary folder. */
export async function newCommandLine(app: Pick<TestApp, "internalUrl" | "adminToken">) {
  const home = await newTemporaryFolder();
  const [browser, opened] = [join(home.path, "browser"), join(home.path, "opened.txt")];
  await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o700 });
  const inNode = [process.execPath, program];

  function start(words: readonly string[], environment: NodeJS.ProcessEnv = { NO_COLOR: "1" }) {
    const [command = "", ...rest] = words;
    const child: ChildProcess = spawn(command, rest, {
      env: { HOME: home.path, TERM: "xterm", NODE_COMPILE_CACHE, ...environment },
    });
    const written = { out: "", err: "" };
    child.stdout?.on("data", (chunk: Buffer) => {
      written.out += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      written.err += chunk.toString();
    });
    const ended = once(child, "close").then(() => ({ code: child.exitCode, ...written }));
    const printed = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = pattern.exec(written.out + written.err)?.[1];
        if (found !== undefined) return found;
        const more = await Promise.race([
          once(child.stdout ?? child, "data"),
          once(child.stderr ?? child, "data"),
          ended,
        ]);
        if ("code" in more && pattern.exec(written.out + written.err) === null)
          throw new Error(`ended early: ${written.err}`);
      }
    };
    return { child, ended, printed };
  }

  return {
    home: home.path,
    remove: home.remove,
    start,
    startProgram: (words: readonly string[], environment?: NodeJS.ProcessEnv) =>
      start([...inNode, ...words], environment),
    startInTerminal(words: readonly string[], environment?: NodeJS.ProcessEnv) {
      const quoted = [...inNode, ...words].map((word) => `'${word}'`).join(" ");
      return start(["script", "-qec", quoted, "/dev/null"], environment);
    },
    /** Starts the program. Its browser writes down the page that it opens. */
    async startWithBrowser(...words: string[]) {
      await rm(opened, { force: true });
      const program = start([...inNode, ...words], { BROWSER: browser });
      const openedPage = async () => {
        await vi.waitFor(async () => expect(await readFile(opened, "utf8")).toMatch(/^http.*\w$/), 60_000);
        return readFile(opened, "utf8");
      };
      return { ...program, openedPage };
    },
    run: (...words: string[]) => start([...inNode, ...words]).ended,
    /** Approves what a program asks for, as the demo's user. */
    async approve(userCode: string): Promise<void> {
      const service = "platform.internal.v1.DeviceAuthorizationService";
      const who = { tenantId: demoTenant, principalId: demoUser, userCode };
      const found = await call(app.internalUrl, `${service}/GetDeviceAuthorization`, who, app.adminToken);
      const asked = z.object({ scopes: z.array(z.string()) }).parse(found.json);
      await call(app.internalUrl, `${service}/ApproveDeviceAuthorization`, { ...who, ...asked }, app.adminToken);
    },
  };
}
