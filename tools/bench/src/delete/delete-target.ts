import { openSync, readSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStorage } from "@platform-rpc/server";
import { serveTarget } from "../load/serve-target.ts";
import { createBenchPlatform, delegateDeletions, seed } from "../platform/bench-platform.ts";
import { startPlatform, startStockPlatform } from "../platform/start-servers.ts";
import { createRestore } from "./deletions.ts";

const [host, vaults, items] = process.argv.slice(2);
const size = { vaults: Number(vaults), items: Number(items) };
const path = join(tmpdir(), "bench.sqlite");
const seeded = createSqliteStorage({ path });
await seed((await createBenchPlatform(seeded)).platform.operations, size);
await seeded.close();

// The stock server commits each deletion separately, as a service without batching does.
const storage = createSqliteStorage({ path, ...(host === "stock" && { batchLimit: 1 }) });
const { platform, token } = await createBenchPlatform(storage);
const { port } = await (host === "stock" ? startStockPlatform(platform) : startPlatform(platform));
serveTarget(port, host === "delegated" ? await delegateDeletions(platform) : token, {
  restore: createRestore(platform.operations, size),
  readDatabase: createReadFile(path),
});

/**
 * Returns a function that reads a whole file, and returns its size in bytes. Afterwards, the file is in the system's cache: some
 * systems drop what nothing has read for a few seconds, although there is enough memory.
 *
 * The file stays open, because closing it would drop SQLite's lock.
 */
function createReadFile(path: string): () => number {
  const file = openSync(path, "r");
  const part = Buffer.alloc(1 << 20);
  return () => {
    let size = 0;
    let length: number;
    do {
      length = readSync(file, part, { position: size });
      size += length;
    } while (length > 0);
    return size;
  };
}
