import { DatabaseSync } from "node:sqlite";
import { describeStorage } from "../../../testing/storage-suite.js";
import { openInThread } from "../testing/storages.js";
import { temporaryPath } from "../testing/temporary-path.js";

describeStorage("SQLite in its own thread", async () => {
  const path = temporaryPath();
  let current = await openInThread({ path });
  return {
    // The storage that is open now: `setSequence` reopens it, because only one thread can open the database.
    storage: new Proxy(current, { get: (_, method) => Reflect.get(current, method) }),
    async setSequence(tenantId, vaultId, sequence) {
      await current.close();
      const database = new DatabaseSync(path);
      const update = database.prepare("UPDATE vaults SET sequence = ? WHERE tenant_id = ? AND vault_id = ?");
      update.run(sequence, tenantId, vaultId);
      database.close();
      current = await openInThread({ path });
    },
    reopen: () => openInThread({ path }),
  };
});
