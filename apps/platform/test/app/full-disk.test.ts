import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { describe, expect, it } from "vitest";
import { call } from "../../src/testing/call.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const vaultAdmin = "platform.internal.v1.VaultAdminService/";
const item = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1" };
// Limits file sizes to 512 bytes, which simulates a full disk for one process.
const noRoom = ["prlimit", "--fsize=512:unlimited"];
const makeRoom = (pid: number) => promisify(execFile)("prlimit", ["--pid", String(pid), "--fsize=unlimited"]);

describe("the program on a full disk", () => {
  it.skipIf(process.platform !== "linux")(
    "starts read-only, reports it, and writes again when there is free space",
    async () => {
      const DATA_DIR = await temporaryFolder();
      const first = await runApp({ DATA_DIR });
      const token = await readFile(join(DATA_DIR, "admin.token"), "utf8");
      const put = { ...item, baseVersion: 0, ...content };
      await call(first.internalUrl, `${vaultAdmin}CreateVault`, { tenantId: "t-1", vaultId: "v-1" }, token);
      expect((await call(first.internalUrl, `${vaultAdmin}PutItem`, put, token)).status).toBe(200);
      // Leaves a WAL that the next start would move into the database.
      await first.stop("SIGKILL");

      const app = await runApp({ DATA_DIR, ACCOUNTS_TENANT: "t-2" }, { under: noRoom });
      const startDevice = () => {
        const body = new URLSearchParams({ client_id: "platform-cli" });
        const url = `${app.accountsUrl}/oauth/device_authorization`;
        return fetch(url, { method: "POST", body }).then(({ status }) => status);
      };
      const ready = () => fetch(`${app.publicUrl}/readyz`).then(({ status }) => status);
      const admin = (operation: string, body: object) => call(app.internalUrl, vaultAdmin + operation, body, token);
      expect(await ready()).toBe(503);
      expect(await admin("GetItem", item)).toMatchObject({ status: 200, json: { item: { itemId: "i-1" } } });
      expect(await admin("PutItem", { ...put, itemId: "i-2" })).toMatchObject({
        status: 503,
        json: { code: "unavailable" },
      });
      expect(await admin("GetItem", { ...item, itemId: "i-2" })).toMatchObject({ status: 404 });

      expect(await startDevice()).toBe(401);

      await makeRoom(app.pid);
      await expect.poll(ready).toBe(200);
      // Once it can write, the app replaces the token of the earlier run and revokes it.
      const putItem = async () => {
        const current = await readFile(join(DATA_DIR, "admin.token"), "utf8");
        return (await call(app.internalUrl, `${vaultAdmin}PutItem`, { ...put, itemId: "i-2" }, current)).status;
      };
      await expect.poll(putItem).toBe(200);
      await expect.poll(() => readFile(join(DATA_DIR, "demo/access.token"), "utf8")).toMatch(/^ey/);
      // The OAuth clients of the platform's own programs could not be registered at the start.
      await expect.poll(startDevice).toBe(200);
      expect(await app.stop()).toBe(0);
    },
  );
});
