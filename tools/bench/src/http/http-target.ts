import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStorage, type Operations } from "@platform-rpc/server";
import { createBenchPlatform, seedCall } from "../bench-platform.ts";
import { serveTarget } from "../load/serve-target.ts";
import { inBatches, itemName, seed, vaultName } from "../seed.ts";
import { createFixtureStorage } from "./fixture-storage.ts";
import { isServerName, type ServerName } from "./servers.ts";

interface Started {
  readonly port: number;
  readonly token?: string;
}

// Each process loads only the server that it runs.
const starts: Readonly<Record<ServerName, () => Promise<Started>>> = {
  bare: async () => (await import("./servers/bare.ts")).startBare(),
  fastify: async () => (await import("./servers/fastify.ts")).startFastify(),
  hono: async () => (await import("./servers/hono.ts")).startHono(),
  stock: async () => (await import("./servers/stock.ts")).startStock(),
  listener: async () => (await import("./servers/listener.ts")).startListener(),
  async stockPlatform() {
    const { platform, token } = await createBenchPlatform(createFixtureStorage());
    const { startStockPlatform } = await import("./servers/stock.ts");
    return { ...(await startStockPlatform(platform)), token };
  },
  async platform() {
    const { platform, token } = await createBenchPlatform(createFixtureStorage());
    const { startPlatform } = await import("./servers/listener.ts");
    return { ...(await startPlatform(platform)), token };
  },
  async retry() {
    const storage = createSqliteStorage({ path: join(tmpdir(), "bench.sqlite") });
    const { platform, token } = await createBenchPlatform(storage);
    await deleteItems(platform.operations);
    const { startPlatform } = await import("./servers/listener.ts");
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
