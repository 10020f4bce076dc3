import { describeStorage } from "../../testing/storage-suite.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { openDatabase } from "./database/open-database.js";
import { createStorageOnDatabase } from "./storage-on-database.js";
import { temporaryPath } from "./testing/temporary-path.js";

describeStorage("SQLite", async () => {
  const path = temporaryPath();
  const database = openDatabase(path);
  const setSequence = database.prepare("UPDATE vaults SET sequence = ? WHERE tenant_id = ? AND vault_id = ?");
  return {
    storage: createStorageOnDatabase(database),
    setSequence: async (tenantId, vaultId, sequence) => {
      setSequence.run(sequence, tenantId, vaultId);
    },
    reopen: async () => createSqliteStorage({ path }),
  };
});
