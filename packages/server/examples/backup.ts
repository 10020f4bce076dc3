import { resolve } from "node:path";
import { createSqliteStorage, restoreSqliteBackup } from "@platform-rpc/server";

// While it serves: a consistent copy in a new file, checked and on disk.
const storage = createSqliteStorage({ path: "platform.sqlite" });
const { path: backup } = await storage.backUp(resolve("platform.backup"));
await storage.close();

// When nothing serves it.
const { replaced } = restoreSqliteBackup({ backup, path: "platform.sqlite", now: Date.now() });
console.log(`restored; the database from before is ${replaced}`);
