import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { createBenchPlatform } from "../bench-platform.ts";
import { createRestore } from "../delete/restore.ts";
import { startPlatform } from "../http/servers/listener.ts";
import { serveTarget } from "../load/serve-target.ts";
import { fill } from "./fill.ts";

/** Our listener on an empty database, which it fills first. */
const [url = "", vaults, items, deletions] = process.argv.slice(2);
const size = { vaults: Number(vaults), items: Number(items) };
const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
const { platform, token } = await createBenchPlatform(storage);
await fill(url, platform.operations, size, Number(deletions));
const { port } = await startPlatform(platform);
serveTarget(port, token, { restore: createRestore(platform.operations, size) });
