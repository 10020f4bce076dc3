import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStorage } from "@platform-rpc/server";
import { caller, createBenchPlatform, seedCall } from "../bench-platform.ts";
import { serveTarget } from "../load/serve-target.ts";
import { inBatches, seed } from "../seed.ts";
import { deletionAt, vaults } from "./deletions.ts";

const [host, size] = process.argv.slice(2);
const items = Number(size);
const path = join(tmpdir(), "bench.sqlite");
const seeded = createSqliteStorage({ path });
await seed((await createBenchPlatform(seeded)).platform.operations, { vaults, items });
await seeded.close();

// The stock server commits each deletion separately, as a service without batching does.
const storage = createSqliteStorage({ path, ...(host === "stock" && { batchLimit: 1 }) });
const { platform, token } = await createBenchPlatform(storage);
const { port } = await serve();
let restored = 0;
serveTarget(port, token, { restore });

async function serve() {
  if (host === "stock") return (await import("../http/servers/stock.ts")).startStockPlatform(platform);
  return (await import("../http/servers/listener.ts")).startPlatform(platform);
}

/** Restores the thousand items that were deleted first since the last call. Returns the number of all restored items. */
async function restore(): Promise<number> {
  await inBatches(1000, async (index) => {
    const { baseVersion, ...ref } = deletionAt(restored + index, items);
    const { tenantId } = caller;
    const result = await platform.operations.restoreItem({ tenantId, ...ref, baseVersion: baseVersion + 1 }, seedCall);
    if (!result.ok) throw new Error(`The item ${ref.itemId} cannot be restored: ${result.reason}.`);
  });
  restored += 1000;
  return restored;
}
