import { describeStorage } from "../../testing/storage-suite.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { openDatabase } from "./database/open-database.js";
import { createStorageOnDatabase } from "./storage-on-database.js";
import { setSequence } from "./testing/set-sequence.js";
import { temporaryPath } from "./testing/temporary-path.js";

describeStorage("SQLite", async () => {
  const path = temporaryPath();
  const database = openDatabase(path);
  return {
    storage: createStorageOnDatabase(database),
    setSequence: async (tenantId, vaultId, sequence) => setSequence(database, tenantId, vaultId, sequence),
    reopen: async () => createSqliteStorage({ path }),
  };
});
