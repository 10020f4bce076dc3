import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { root } from "../workspace.ts";

/** The input of a consumer's scenario: the URL of the platform, and data that no other consumer uses. */
export interface Fixture {
  readonly baseUrl: string;
  readonly token: string;
  readonly item: { readonly vaultId: string; readonly itemId: string; readonly baseVersion: number };
  readonly approvedCode: string;
  readonly pendingCode: string;
}

/** The platform app, running as a child process on free ports. */
export interface PlatformApp {
  /** Creates data that no other consumer uses. */
  createFixture(): Promise<Fixture>;
  stop(): Promise<void>;
}

const subject = { tenantId: "demo", principalId: "demo-user", oauthClientId: "demo-agent" };
const vaultId = "demo-vault";

export async function startPlatformApp(folder: string): Promise<PlatformApp> {
  const settings = { DATA_DIR: folder, DEMO: "on", LOG_LEVEL: "silent" };
  const app = await startApp(settings, { stderr: "inherit", folder: join(root, "apps/platform/dist") });
  const call = adminOf(app.internalUrl, join(folder, "admin.token"));
  const accessToken = readFileSync(join(folder, "demo/access.token"), "utf8").trim();

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
        baseUrl: app.publicUrl,
        token: accessToken,
        item: { vaultId, itemId, baseVersion: 1 },
        approvedCode: await startedCode(true),
        pendingCode: await startedCode(false),
      };
    },
    async stop() {
      await app.stop();
    },
  };
}

/** Starts the platform app of a built workspace with the tools of that workspace. It ends with this process. */
export function serveApp(workspace: string, folder: string): PlatformApp {
  const program = join(workspace, "tools/release/src/rehearsal/serve-fixtures.ts");
  const child = spawn(process.execPath, [program, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async createFixture() {
      child.stdin.write("fixture\n");
      const line = await lines.next();
      if (line.done === true) throw new Error(`The platform app of ${workspace} ended before it returned a fixture.`);
      return JSON.parse(line.value);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
