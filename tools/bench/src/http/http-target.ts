import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStorage } from "@platform-rpc/server";
import type { Operations } from "@platform-rpc/server/host";
import { serveTarget } from "../load/serve-target.ts";
import { createBenchPlatform, seedCall } from "../platform/bench-platform.ts";
import { inBatches, itemName, seed, vaultName } from "../platform/seed.ts";
import {
  startBare,
  startFastify,
  startHono,
  startListener,
  startPlatform,
  startStock,
  startStockPlatform,
} from "../platform/start-servers.ts";
import { createFixtureStorage } from "./fixture-storage.ts";
import { isServerName, type ServerName } from "./servers.ts";

interface Started {
  readonly port: number;
  readonly token?: string;
}

const starts: Readonly<Record<ServerName, () => Promise<Started>>> = {
  bare: () => startBare(),
  fastify: startFastify,
  hono: startHono,
  stock: startStock,
  listener: startListener,
  async stockPlatform() {
    const { platform, token } = await createBenchPlatform(createFixtureStorage());
    return { ...(await startStockPlatform(platform)), token };
  },
  async platform() {
    const { platform, token } = await createBenchPlatform(createFixtureStorage());
    return { ...(await startPlatform(platform)), token };
  },
  async retry() {
    const storage = createSqliteStorage({ path: join(tmpdir(), "bench.sqlite") });
    const { platform, token } = await createBenchPlatform(storage);
    await deleteItems(platform.operations);
    return { ...(await startPlatform(platform)), token };
  },
};

/** Deletes all items that are requested, so that every request is a retry. */
async function deleteItems(operations: Operations): Promise<void> {
  const items = 1000;
  await seed(operations, { vaults: 1, items });
  const vaultId = vaultName(0);
  await inBatches(items, (item) =>
    operations.deleteItem({ vaultId, itemId: itemName(item), baseVersion: 1 }, seedCall),
  );
}

const [name = ""] = process.argv.slice(2);
if (!isServerName(name)) throw new Error(`There is no server with the name "${name}".`);
const { port, token } = await starts[name]();
serveTarget(port, token);
