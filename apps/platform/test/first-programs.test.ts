import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { startTestApp } from "../src/testing/start-test-app.js";
import { newTemporaryFolder } from "../src/testing/temporary-folder.js";

// As the README says: a project next to the clone, which contains the data of the demo.
const folder = await newTemporaryFolder();
const data = join(folder.path, "platform/data");
const project = join(folder.path, "my-app");
await mkdir(data, { recursive: true });
await mkdir(project);
const app = await startTestApp({ DATA_DIR: data, DEMO: "on" });
afterAll(async () => {
  await app.end();
  await folder.remove();
});

const accountsUrl = app.accountsUrl ?? "";

/** Runs an example of the client. When it shows a user code, the demo user approves it. */
async function run(name: string, environment: Readonly<Record<string, string>> = {}) {
  const example = fileURLToPath(new URL(`../../../packages/client/examples/${name}`, import.meta.url));
  const urls = { ACCOUNTS_URL: accountsUrl, PLATFORM_URL: app.publicUrl };
  const env = { ...process.env, HOME: project, ...urls, ...environment };
  const program = spawn(process.execPath, [example], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(program, "close");
  const printed = text(program.stdout);
  let shown = "";
  for await (const chunk of program.stderr) {
    const [, userCode] = /enter (\S+)\n/.exec(`${chunk}`) ?? [];
    shown += chunk;
    if (userCode !== undefined) await approve(userCode);
  }
  const [code] = await closed;
  return { code, printed: await printed, shown };
}

async function approve(userCode: string): Promise<void> {
  const decision = { tenantId: "demo", principalId: "demo-user", userCode, scopes: ["vault.items:delete"] };
  await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", decision);
}

describe("the programs of the client's README run with the demo as they are pasted", () => {
  it("first call: handles a conflict, and deletes the item", async () => {
    const { code, printed, shown } = await run("first-call.ts");
    expect([code, shown]).toEqual([0, ""]);
    expect(printed).toMatch(/^conflict: the item is at version 1, not 9\ndeleted: version 2, sequence \d+\n$/);
  });

  it("a session: the first run asks the person, the second does not", async () => {
    const deleted = { code: 0, printed: "demo-login is deleted at version 2\n" };
    const first = await run("session.ts");
    expect(first).toMatchObject({ ...deleted, shown: expect.stringMatching(/^Open \S+\/device and enter /) });
    expect(await run("session.ts")).toEqual({ ...deleted, shown: "" });
  });

  it("a device login in a program: waits for the code of the page's curl command", async () => {
    const body = new URLSearchParams({ client_id: "demo-agent" });
    const started = await fetch(`${accountsUrl}/oauth/device_authorization`, { method: "POST", body });
    const { device_code: deviceCode, user_code: userCode } = JSON.parse(await started.text());
    await approve(userCode);
    const token = await readFile(join(data, "demo/access.token"), "utf8");
    const { code, printed, shown } = await run("device-login-cli.ts", {
      PLATFORM_TOKEN: token,
      DEVICE_CODE: deviceCode,
    });
    expect([code, shown]).toEqual([0, ""]);
    expect(printed).toBe("demo-note is deleted at version 2\n");
  });
});
