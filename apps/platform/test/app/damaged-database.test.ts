import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call } from "../../src/testing/call.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const vaultAdmin = "platform.internal.v1.VaultAdminService/";
const mark = "TWFyaw".repeat(20);

function item(itemId: string, ciphertext: string) {
  const encryptedPayload = { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext, version: 1 };
  const place = { tenantId: "t-1", vaultId: "v-1", itemId };
  return { ...place, baseVersion: 0, kind: "login", titleHash: "dGl0bGU", encryptedPayload, wrappedKeys: [] };
}

describe("the program on a database with a damaged item", () => {
  it("never serves the item, stops writing, and logs once that a backup must be restored", async () => {
    const DATA_DIR = await temporaryFolder();
    const token = () => readFile(join(DATA_DIR, "admin.token"), "utf8");
    const first = await runApp({ DATA_DIR, DEMO: "off" });
    await call(first.internalUrl, `${vaultAdmin}CreateVault`, { tenantId: "t-1", vaultId: "v-1" }, await token());
    for (const each of [item("struck", mark), item("sound", "c291bmQ")]) {
      expect((await call(first.internalUrl, `${vaultAdmin}PutItem`, each, await token())).status).toBe(200);
    }
    await first.stop();
    await strike(join(DATA_DIR, "platform.sqlite"));

    const app = await runApp({ DATA_DIR, DEMO: "off" });
    const adminToken = await token();
    const admin = (operation: string, body: object) => call(app.internalUrl, vaultAdmin + operation, body, adminToken);
    expect(await admin("GetItem", item("struck", ""))).toMatchObject({ status: 503, json: { code: "unavailable" } });
    expect(await admin("PutItem", item("new", "bmV3"))).toMatchObject({ status: 503, json: { code: "unavailable" } });
    expect((await admin("GetItem", item("sound", ""))).status).toBe(200);
    const readiness = async () => {
      const response = await fetch(`${app.publicUrl}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    await expect.poll(readiness).toMatch(/^503 .*read-only.*Restore a backup/);
    await app.stop();
    expect(app.err().match(/"msg":"not ready"/g)).toHaveLength(1);
  });
});

/** Changes one byte of the stored ciphertext. */
async function strike(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = bytes.indexOf(mark);
  expect(at).toBeGreaterThan(0);
  bytes[at + 60] = (bytes[at + 60] ?? 0) ^ 1;
  await writeFile(path, bytes);
}
