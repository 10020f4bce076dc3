import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { asApp, createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { describeStorage } from "../../../src/testing/storage-suite.js";

const contentKey = new Uint8Array(32).fill(7);

describeStorage("PostgreSQL", async () => {
  const owner = await createTestDatabase();
  const url = asApp(owner);
  return {
    storage: await createPostgresStorage({ url, contentKey }),
    async setSequence(tenantId, vaultId, sequence) {
      const sql = "UPDATE vaults SET sequence = $3 WHERE tenant_id = $1 AND vault_id = $2";
      await runSql(owner, sql, [tenantId, vaultId, sequence]);
    },
    reopen: () => createPostgresStorage({ url, contentKey }),
  };
});
