import { describeStorage } from "../../testing/storage-suite.js";
import { createMemoryStorage } from "./create-memory-storage.js";
import { createMemoryRows } from "./memory-rows.js";

describeStorage("in memory", async () => {
  const rows = createMemoryRows();
  return {
    storage: createMemoryStorage(rows),
    async setSequence(tenantId, vaultId, sequence) {
      const row = rows.vaults.get(tenantId, vaultId);
      rows.vaults.set([tenantId, vaultId], row && { ...row, head: sequence });
    },
    reopen: async () => createMemoryStorage(rows),
  };
});
