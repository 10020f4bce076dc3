import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { serveTarget } from "../load/serve-target.ts";
import { createBenchPlatform } from "../platform/bench-platform.ts";
import { seed } from "../platform/seed.ts";
import { startPlatform, startStockPlatform } from "../platform/start-servers.ts";
import { seedOneStatement, withOneStatement } from "./one-statement.ts";

/** Our listener or stock Connect on a database. `seed` creates the vaults and items first. */
const [host, url = "", vaults, items, seeds] = process.argv.slice(2);
const size = { vaults: Number(vaults), items: Number(items) };
const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
const { platform, token } = await createBenchPlatform(host === "stock" ? withOneStatement(storage, url) : storage);
if (seeds === "seed") await (host === "stock" ? seedOneStatement(url, size) : seed(platform.operations, size));
const { port } = await (host === "stock" ? startStockPlatform(platform) : startPlatform(platform));
serveTarget(port, token);
