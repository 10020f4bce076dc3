import { describeStorage } from "@platform-rpc/server/testing";
import { createMemoryStorage } from "./memory-storage.ts";
import { createMemoryTables } from "./memory-tables.ts";

describeStorage("in memory", async () => {
  const tables = createMemoryTables();
  return {
    storage: createMemoryStorage(tables),
    async setSequence(tenantId, vaultId, sequence) {
      const row = tables.vaults.get(tenantId, vaultId);
      if (row !== undefined) tables.vaults.set({ ...row, head: sequence }, tenantId, vaultId);
    },
    reopen: async () => createMemoryStorage(tables),
  };
});
