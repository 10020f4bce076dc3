import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { connectHostOptions, createListener, createSqliteStorage } from "@platform-rpc/server";
import { destination, pino } from "pino";
import { caller, createBenchPlatform, seedCall } from "./bench-platform.ts";
import { fixtureItem } from "./fixture.ts";
import { itemName, vaultName, vaults } from "./seed.ts";
import { serveTarget } from "./target.ts";

const [host, items] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "platform-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

// The stock server commits each delete separately, as a service without batching does.
const storage = createSqliteStorage({
  path: join(directory, "bench.sqlite"),
  ...(host === "stock" && { batchLimit: 1 }),
});
const { platform, token } = await createBenchPlatform(storage);
await seed(Number(items));
const logger = pino({ level: "info" }, destination({ dest: "/dev/null", minLength: 8192, sync: true }));

if (host === "stock") {
  const adapter = connectNodeAdapter(connectHostOptions(platform));
  const server = createServer((request, response) => {
    response.on("close", () => logger.info({ operation: request.url, code: "ok" }, "request"));
    adapter(request, response);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    serveTarget(typeof address === "object" && address !== null ? address.port : 0, token);
  });
} else {
  const listener = createListener(platform, { logger });
  serveTarget((await listener.listen(0, "127.0.0.1")).port, token);
}

/** Creates the vaults and their items. */
async function seed(count: number): Promise<void> {
  const { tenantId, principalId } = caller;
  const { operations } = platform;
  for (let vault = 0; vault < vaults; vault += 1) {
    const vaultId = vaultName(vault);
    await operations.createVault({ tenantId, vaultId, retentionDays: undefined }, seedCall);
    await operations.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, seedCall);
  }
  const { kind, titleHash, encryptedPayload, wrappedKeys } = fixtureItem;
  const content = { kind, titleHash, encryptedPayload, wrappedKeys, tenantId, baseVersion: 0 };
  for (let at = 0; at < count; at += 1000) {
    const batch = Array.from({ length: Math.min(1000, count - at) }, (_, index) => at + index);
    await Promise.all(
      batch.map((item) =>
        operations.putItem({ ...content, vaultId: vaultName(item % vaults), itemId: itemName(item) }, seedCall),
      ),
    );
  }
}
