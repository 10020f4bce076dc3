import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../workspace.ts";

/** The input of a consumer's scenario: the URL of the platform, and data that no other consumer uses. */
export interface Fixture {
  readonly baseUrl: string;
  readonly token: string;
  readonly item: { readonly vaultId: string; readonly itemId: string; readonly baseVersion: number };
  readonly approvedCode: string;
  readonly pendingCode: string;
}

/** The reference app, running as a child process on free ports. */
export interface ReferenceApp {
  /** Creates data that no other consumer uses. */
  createFixture(): Promise<Fixture>;
  stop(): Promise<void>;
}

const subject = { tenantId: "demo", principalId: "demo-user", oauthClientId: "demo-agent" };
const vaultId = "demo-vault";

export async function startReferenceApp(folder: string): Promise<ReferenceApp> {
  const child = spawn(process.execPath, [join(root, "apps/reference/dist/main.js")], {
    env: { PORT: "0", INTERNAL_PORT: "0", ACCOUNTS_PORT: "0", DATA_DIR: folder, DEMO: "on", LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  // Also ends the app when this process ends early.
  process.once("exit", () => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  while (!printed.includes("Ctrl+C")) {
    await Promise.race([once(child.stdout, "data"), ended]);
    if (child.exitCode !== null) throw new Error("The reference app ended before it was ready.");
  }
  const urlOf = (label: string) => new RegExp(`^ {2}${label} +(\\S+)`, "m").exec(printed)?.[1] ?? "";
  const internalUrl = urlOf("internal");
  const secret = (file: string) => readFileSync(join(folder, file), "utf8").trim();

  async function call(operation: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${internalUrl}/platform.internal.v1.${operation}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${secret("admin.token")}`,
        "Content-Type": "application/json",
        "Connect-Protocol-Version": "1",
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operation}: ${text}`);
    const answer: Readonly<Record<string, unknown>> = JSON.parse(text);
    return answer;
  }

  async function startedCode(approved: boolean): Promise<string> {
    const scopes = ["vault.items:delete"];
    const started = await call("DeviceAuthorizationService/StartDeviceAuthorization", { ...subject, scopes });
    const { userCode, deviceCode } = started;
    if (approved) {
      await call("DeviceAuthorizationService/ApproveDeviceAuthorization", { ...subject, userCode, scopes });
    }
    return String(deviceCode);
  }

  return {
    async createFixture() {
      const encryptedPayload = { alg: "A256GCM", nonce: "bm9uY2U", ciphertext: "Y2lwaGVydGV4dA", version: 1 };
      const itemId = crypto.randomUUID();
      await call("VaultAdminService/PutItem", { ...subject, vaultId, itemId, kind: "custom", encryptedPayload });
      return {
        baseUrl: urlOf("public"),
        token: secret("demo/access.token"),
        item: { vaultId, itemId, baseVersion: 1 },
        approvedCode: await startedCode(true),
        pendingCode: await startedCode(false),
      };
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Starts the reference app of a built workspace with the tools of that workspace. It ends with this process. */
export function serveApp(workspace: string, folder: string): ReferenceApp {
  const program = join(workspace, "tools/release/src/rehearsal/serve-fixtures.ts");
  const child = spawn(process.execPath, [program, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async createFixture() {
      child.stdin.write("fixture\n");
      const line = await lines.next();
      if (line.done === true) throw new Error(`The reference app of ${workspace} ended before it returned a fixture.`);
      return JSON.parse(line.value);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
