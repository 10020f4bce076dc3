import { expect, onTestFinished } from "vitest";
import type { PostgresStorage } from "../../../../src/storage/postgres/create-postgres-storage.js";
import { openDatabase } from "../../../../src/storage/postgres/database/database.js";
import type { PostgresStorageOptions } from "../../../../src/storage/postgres/options.js";
import { createTestDatabase, runSql } from "../../../../src/storage/postgres/testing/test-database.js";
import { createFixture, itemRef } from "../../../../src/testing/storage-suite/fixture.js";
import { startFaultyProxy } from "./faulty-proxy.js";
import { openStorage } from "./open-storages.js";

/** The error of a call whose effect is unknown, or that had none. */
export const unavailable = { name: "StorageError", reason: "unavailable" };

/** Opens a storage of a new database behind a proxy, with a vault that contains an item. */
export async function openFaultyStorage(options: Partial<PostgresStorageOptions> = {}) {
  const url = await createTestDatabase();
  const proxy = await startFaultyProxy(url);
  const storage = await openStorage({ ...options, url: proxy.url });
  const fixture = createFixture(storage);
  await fixture.createVault();
  await fixture.put(itemRef("item-1"), "a", 0);
  const sequences = async () => {
    const rows = await runSql(
      url,
      "SELECT sequence::integer FROM changes WHERE vault_id = 'vault-1' ORDER BY sequence",
    );
    return rows.map(({ sequence }) => sequence);
  };
  return { url, proxy, storage, fixture, sequences };
}

/**
 * Ends the sessions of the application in a database that match a condition, as an administrator's shutdown does. Resolves when they
 * have ended: without a timeout, PostgreSQL would only send them a signal.
 */
export function terminate(url: string, condition = "true"): Promise<unknown> {
  return runSql(
    url,
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'platform' AND (${condition})`,
  );
}

/**
 * Ends the sessions of a storage that makes no calls. Resolves when the storage has noticed it: until then, it may send a statement on a
 * connection that has ended, and does not know whether the statement had an effect.
 */
export async function endSessions(url: string, storage: PostgresStorage): Promise<void> {
  await terminate(url);
  await expect.poll(() => storage.figures().connections).toEqual({ used: 0, idle: 0, pending: 0 });
}

/** Runs statements in a transaction that stays open until the returned function is called. */
export async function holdLock(url: string, sql: string): Promise<() => Promise<void>> {
  const database = openDatabase({ url, connections: 1, timeout: 60_000 });
  onTestFinished(() => database.close());
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let work: Promise<void> | undefined;
  await new Promise<void>((held, reject) => {
    work = database.withClient(async (client) => {
      await client.query("BEGIN");
      await client.query(sql);
      held();
      await released;
      await client.query("COMMIT");
    });
    work.catch(reject);
  });
  return async () => {
    release();
    await work;
  };
}

/** Resolves when a session of the application waits for a lock. */
export async function lockAwaited(url: string): Promise<void> {
  const sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(() => runSql(url, sql)).not.toEqual([]);
}
