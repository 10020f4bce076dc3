import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { createRestore } from "../delete/deletions.ts";
import { serveTarget } from "../load/serve-target.ts";
import { createBenchPlatform } from "../platform/bench-platform.ts";
import { startPlatform } from "../platform/start-servers.ts";
import { fill } from "./fill.ts";

/** Our listener on an empty database, which it fills first. */
const [url = "", vaults, items, deletions] = process.argv.slice(2);
const size = { vaults: Number(vaults), items: Number(items) };
const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
const { platform, token } = await createBenchPlatform(storage);
await fill(url, platform.operations, size, Number(deletions));
const { port } = await startPlatform(platform);
serveTarget(port, token, { restore: createRestore(platform.operations, size) });
