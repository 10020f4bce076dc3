import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { root } from "../workspace.ts";
import type { Fixture } from "./platform-app.ts";

// Runs the platform app of this workspace on free ports, and prints a fixture for each line `fixture` of its input. A separate program,
// because only the tools of the same release know the server's private operations. Later releases start this program and read
// these fixtures, so fields are only added, never changed.

const subject = { tenantId: "demo", principalId: "demo-user", oauthClientId: "demo-agent" };
const vaultId = "demo-vault";

const [folder = ""] = process.argv.slice(2);
const settings = { DATA_DIR: folder, DEMO: "on", LOG_LEVEL: "silent" };
const app = await startApp(settings, { stderr: "inherit", folder: join(root, "apps/platform/dist") });
const call = adminOf(app.internalUrl, join(folder, "admin.token"));
const token = readFileSync(join(folder, "demo/access.token"), "utf8").trim();

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "fixture") console.log(JSON.stringify(await createFixture()));
}
await app.stop();

async function createFixture(): Promise<Fixture> {
  const encryptedPayload = { alg: "A256GCM", nonce: "bm9uY2U", ciphertext: "Y2lwaGVydGV4dA", version: 1 };
  const itemId = crypto.randomUUID();
  await call("VaultAdminService/PutItem", { ...subject, vaultId, itemId, kind: "custom", encryptedPayload });
  const item = { vaultId, itemId, baseVersion: 1 };
  const [approvedCode, pendingCode] = [await startedCode(true), await startedCode(false)];
  return { baseUrl: app.publicUrl, token, item, approvedCode, pendingCode };
}

async function startedCode(approved: boolean): Promise<string> {
  const scopes = ["vault.items:delete"];
  const { userCode, deviceCode } = await call("DeviceAuthorizationService/StartDeviceAuthorization", {
    ...subject,
    scopes,
  });
  if (approved) await call("DeviceAuthorizationService/ApproveDeviceAuthorization", { ...subject, userCode, scopes });
  return String(deviceCode);
}
