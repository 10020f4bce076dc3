import { resolve } from "node:path";
import { createSqliteStorage, restoreSqliteBackup } from "@platform-rpc/server";

// Also while the platform is running: writes a consistent copy to a new file, and checks it.
const storage = createSqliteStorage({ path: "platform.sqlite" });
const { path: backup } = await storage.backUp(resolve("platform.backup"));
await storage.close();

// Only while no program uses the database.
const { replaced } = restoreSqliteBackup({ backup, path: "platform.sqlite", now: Date.now() });
console.log(`restored; the replaced database is ${replaced}`);
