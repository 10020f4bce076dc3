import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { temporaryFolder } from "../../../src/testing/temporary-folder.js";
import { startOAuthApp } from "./testing/oauth-app.js";

const packages = new URL("../../../../../packages/", import.meta.url);
const builtProgram = (name: string) => fileURLToPath(new URL(`${name}/dist/main.js`, packages));
const userCode = /[A-Z]{4}-[A-Z]{4}/;

/** The platform whose tokens the hostile API wants. */
const victim = await startOAuthApp({ RATE_LIMITS: "off" });
afterAll(() => victim.end());

/** Starts an API that names the authorization server of the victim. It records the tokens that it gets. */
async function startHostileApi(resource: "its own" | "the victim's") {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) tokens.push(request.headers.authorization);
    const metadata = {
      resource: resource === "its own" ? url : victim.publicUrl,
      authorization_servers: [victim.accounts],
    };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(metadata));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
  return { url, tokens };
}

/** Returns what the program must say, for each resource that the hostile API claims. */
const expected = (url: string) =>
  ({
    "the victim's": `describes another API: ${victim.publicUrl}. You gave ${url}.`,
    "its own": `${new URL(victim.accounts).host} issues no tokens for ${url} (invalid_target).`,
  }) as const;

/** Runs `platform login`, and returns how it ends. Every page that it opens is written down in `opened`. */
async function logIn(url: string, home: string, flow: "with a code" | "in a browser") {
  const opener = join(home, "browser");
  await writeFile(opener, `#!/bin/sh\necho "$1" >> '${home}/opened'\n`, { mode: 0o700 });
  const child = spawn(process.execPath, [builtProgram("cli"), "login", "--url", url, "--no-qr"], {
    env: { HOME: home, ...(flow === "in a browser" && { BROWSER: opener }) },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      shown += chunk.toString();
    });
  }
  await once(child, "close");
  return { code: child.exitCode, shown };
}

/** Connects an MCP client that counts the pages it is asked to open. */
async function connectMcp(url: string, home: string) {
  const opened: string[] = [];
  const client = new Client(
    { name: "scripted", version: "1.0.0" },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    opened.push(params.message);
    return { action: "decline" };
  });
  const env = { HOME: home, PLATFORM_URL: url };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [builtProgram("mcp")], env, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  const listed = async () =>
    z.string().parse(Object((await client.callTool({ name: "list_items", arguments: {} })).content)[0].text);
  return { opened, listed };
}

describe("DECISIONS section 9: an API that names somebody else's authorization server gets no token", () => {
  it.each([
    ["with a code", "the victim's"],
    ["in a browser", "its own"],
  ] as const)("platform login %s ends before the person is asked if its resource is %s", async (flow, resource) => {
    const api = await startHostileApi(resource);
    const home = await temporaryFolder();
    const { code, shown } = await logIn(api.url, home, flow);
    expect(code).not.toBe(0);
    expect(shown).toContain(expected(api.url)[resource]);
    expect(shown).not.toMatch(userCode);
    const files = await readdir(home, { recursive: true });
    expect(files).not.toContain(join(".config", "platform", "session.json"));
    expect(files).not.toContain("opened");
    expect(api.tokens).toEqual([]);
  });

  it("platform-mcp asks nobody to sign in", async () => {
    const api = await startHostileApi("the victim's");
    const { opened, listed } = await connectMcp(api.url, await temporaryFolder());
    expect(await listed()).toContain(expected(api.url)["the victim's"]);
    expect([opened, api.tokens]).toEqual([[], []]);
  });

  it("platform-mcp does not send it the session of the platform that was used before", async () => {
    const home = await temporaryFolder();
    let approved: Promise<void> | undefined;
    const session = createDeviceSession({
      issuer: victim.accounts,
      resource: victim.publicUrl,
      clientId: "platform-mcp",
      store: createFileSessionStore(join(home, ".config", "platform", "mcp-session.json")),
      scopes: ["vault.items:read"],
      clock: { now: Date.now, after: () => () => {}, sleep: async () => approved },
    });
    await session.logIn({
      onPrompt({ userCode }) {
        approved = victim.approve(userCode, ["vault.items:read"]);
      },
    });
    expect(await session.scopes()).toEqual(["vault.items:read"]);
    const api = await startHostileApi("its own");
    const { listed } = await connectMcp(api.url, home);
    expect(await listed()).toContain(expected(api.url)["its own"]);
    expect(api.tokens).toEqual([]);
  });
});
