import { DatabaseSync } from "node:sqlite";
import { describeStorage } from "../../../testing/storage-suite.js";
import { setSequence } from "../testing/set-sequence.js";
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
      setSequence(database, tenantId, vaultId, sequence);
      database.close();
      current = await openInThread({ path });
    },
    reopen: () => openInThread({ path }),
  };
});
