import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStorage } from "@platform-rpc/server";
import { createBenchPlatform } from "../bench-platform.ts";
import { serveTarget } from "../load/serve-target.ts";
import { seed } from "../seed.ts";
import { createReadFile } from "./read-file.ts";
import { createRestore } from "./restore.ts";

const [host, vaults, items] = process.argv.slice(2);
const size = { vaults: Number(vaults), items: Number(items) };
const path = join(tmpdir(), "bench.sqlite");
const seeded = createSqliteStorage({ path });
await seed((await createBenchPlatform(seeded)).platform.operations, size);
await seeded.close();

// The stock server commits each deletion separately, as a service without batching does.
const storage = createSqliteStorage({ path, ...(host === "stock" && { batchLimit: 1 }) });
const { platform, token } = await createBenchPlatform(storage);
const { port } = await serve();
serveTarget(port, token, { restore: createRestore(platform.operations, size), readDatabase: createReadFile(path) });

async function serve() {
  if (host === "stock") return (await import("../http/servers/stock.ts")).startStockPlatform(platform);
  return (await import("../http/servers/listener.ts")).startPlatform(platform);
}
