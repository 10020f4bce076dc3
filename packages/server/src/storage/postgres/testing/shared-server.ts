import { memoryFolder } from "@platform-rpc/testbed/files";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import type { TestProject } from "vitest/node";
import { createPostgresStorage } from "../create-postgres-storage.js";
import { appLogin, runSql } from "./test-database.js";

/**
 * Starts the server that the tests of this project share. Its files are in memory where that is possible, and it does not flush:
 * tests of durability start their own. A new database is a copy of `template1`, which is migrated here: a copy takes a fifth of the
 * time that a migration takes. `template0` is empty.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({
    parent: memoryFolder(),
    settings: { fsync: "off", max_connections: 200, max_wal_size: "256MB" },
  });
  await runSql(
    server.urlOf("template1"),
    `CREATE ROLE platform_app NOLOGIN; CREATE ROLE ${appLogin} LOGIN IN ROLE platform_app`,
  );
  const storage = await createPostgresStorage({ url: server.urlOf("template1"), contentKey: new Uint8Array(32) });
  await storage.close();
  provide("postgresUrl", server.url);
  return server.stop;
}
