import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStorage, type Operations, type Storage } from "@platform-rpc/server";
import type { Decision, Ref, Rule, Snapshots } from "@platform-rpc/server/host";
import { serveTarget } from "../load/serve-target.ts";
import {
  caller,
  createBenchPlatform,
  inBatches,
  itemName,
  seed,
  seedCall,
  vaultName,
} from "../platform/bench-platform.ts";
import { storedItem } from "../platform/fixture.ts";
import {
  startBare,
  startFastify,
  startHono,
  startListener,
  startPlatform,
  startStock,
  startStockPlatform,
} from "../platform/start-servers.ts";
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

const vault = { tenantId: caller.tenantId, vaultId: vaultName(0), retentionDays: 30, accessRevision: 0 };

/**
 * Creates a storage in which every item exists and is deleted. Items are in memory, so that the cost of everything except storage
 * is measured. All other data, such as revocations, is in SQLite.
 */
function createFixtureStorage(): Storage {
  const storage = createSqliteStorage({ path: ":memory:" });
  return {
    ...storage,
    async transact<R extends Ref, Outcome>(ref: R, rule: Rule<Snapshots[R["kind"]], Outcome>) {
      if (ref.kind !== "item") return storage.transact(ref, rule);
      const { outcome }: Decision<Outcome> = Reflect.apply(rule, undefined, [snapshotOfItem(ref.itemId)]);
      return { outcome, sequence: undefined };
    },
  };
}

function snapshotOfItem(itemId: string): Snapshots["item"] {
  return { vault, role: "owner", item: { ...storedItem(itemId), earlier: () => "[]" }, floor: 0 };
}

const [name = ""] = process.argv.slice(2);
if (!isServerName(name)) throw new Error(`There is no server with the name "${name}".`);
const { port, token } = await starts[name]();
serveTarget(port, token);
