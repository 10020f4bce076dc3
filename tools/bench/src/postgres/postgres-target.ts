import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { createBenchPlatform } from "../bench-platform.ts";
import { serveTarget } from "../load/serve-target.ts";
import { seed } from "../seed.ts";
import { seedOneStatement, withOneStatement } from "./one-statement.ts";

/** Our listener or stock Connect on a database. `seed` creates the vaults and items first. */
const [host, url = "", vaults, items, seeds] = process.argv.slice(2);
const size = { vaults: Number(vaults), items: Number(items) };
const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
const { platform, token } = await createBenchPlatform(host === "stock" ? withOneStatement(storage, url) : storage);
if (seeds === "seed") await (host === "stock" ? seedOneStatement(url, size) : seed(platform.operations, size));
const { port } = await serve();
serveTarget(port, token);

async function serve() {
  if (host === "stock") return (await import("../http/servers/stock.ts")).startStockPlatform(platform);
  return (await import("../http/servers/listener.ts")).startPlatform(platform);
}
