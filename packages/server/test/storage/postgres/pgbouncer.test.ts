import { installedPgBouncer, type PgBouncer, startPgBouncer } from "@platform-rpc/testbed/pgbouncer";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { moveTenant } from "../../../src/storage/postgres/move/move-tenant.js";
import { createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { describeAudit } from "../../../src/testing/storage-suite/audit.js";
import { describeDecisions } from "../../../src/testing/storage-suite/decisions.js";
import { createFixture, itemRef, tenantId } from "../../../src/testing/storage-suite/fixture.js";
import { createHarness } from "../../../src/testing/storage-suite/harness.js";
import { describeLifecycle } from "../../../src/testing/storage-suite/lifecycle.js";
import { describePurge } from "../../../src/testing/storage-suite/purge.js";
import { describeManyProcesses } from "./testing/describe-many-processes.js";
import { contentKey, openStorage } from "./testing/open-storages.js";

const { skip, note } = installedPgBouncer;

describe.skipIf(skip)(`through PgBouncer in transaction mode, with two connections${note}`, () => {
  let bouncer: PgBouncer;
  beforeAll(async () => {
    bouncer = await startPgBouncer(inject("postgresUrl") ?? "", {
      ...{ default_pool_size: 2, max_db_connections: 2 },
      // Each test has its own database, and the server a limit of connections.
      server_idle_timeout: 2,
    });
  });
  afterAll(() => bouncer.stop());

  // What the pool can change: batches, locks that end with their statement, and the end of a connection. Every other method of the
  // port sends one statement in the same way, and the suite runs without PgBouncer, too.
  const harness = createHarness(async () => {
    const direct = await createTestDatabase();
    const url = bouncer.through(direct);
    return {
      storage: await createPostgresStorage({ url, contentKey }),
      async setSequence(tenantId, vaultId, sequence) {
        const sql = "UPDATE vaults SET sequence = $3 WHERE tenant_id = $1 AND vault_id = $2";
        await runSql(direct, sql, [tenantId, vaultId, sequence]);
      },
      reopen: () => createPostgresStorage({ url, contentKey }),
    };
  });
  describeDecisions(harness);
  describePurge(harness);
  describeAudit(harness);
  describeLifecycle(harness);

  describeManyProcesses((url) => ({ url: bouncer.through(url) }));

  it("is refused to a move, whose lock it would give to others", async () => {
    const [from, to] = await Promise.all(
      ["a", "b"].map(async (name) => ({ name, url: bouncer.through(await createTestDatabase()) })),
    );
    if (from === undefined || to === undefined) return expect.unreachable();
    await expect(moveTenant({ tenantId, from, to })).rejects.toMatchObject({
      ...{ reason: "unusable", message: /The URL of the cell a leads to PgBouncer/ },
    });
  });

  it("a session of the server serves several processes, and keeps nothing of them", async () => {
    const url = await createTestDatabase();
    const storages = await Promise.all([0, 1].map(() => openStorage({ url: bouncer.through(url) })));
    const [first, second] = storages.map(createFixture);
    await first?.createVault();
    const names = Array.from({ length: 40 }, (_, index) => `item-${index}`);
    await Promise.all(names.map((name, index) => (index % 2 === 0 ? first : second)?.put(itemRef(name), "a", 0)));
    const sessions =
      "SELECT count(*) <= 2 AS shared FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    expect(await runSql(url, sessions)).toEqual([{ shared: true }]);
    expect(await runSql(bouncer.through(url), "SELECT count(*)::integer AS count FROM pg_prepared_statements")).toEqual(
      [{ count: 0 }],
    );
  });
});
