import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { serveTarget } from "../load/serve-target.ts";
import { createBenchPlatform, seed } from "../platform/bench-platform.ts";
import { startPlatform } from "../platform/start-servers.ts";

/** Our listener on a database. `seed` creates the vaults and items first. */
const [url = "", vaults, items, seeds] = process.argv.slice(2);
const size = { vaults: Number(vaults), items: Number(items) };
const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
const { platform, token } = await createBenchPlatform(storage);
if (seeds === "seed") await seed(platform.operations, size);
const { port } = await startPlatform(platform);
serveTarget(port, token);
