import { DatabaseSync } from "node:sqlite";
import { type KeyValueStore, StorageError } from "@platform-rpc/server";

/** Opens a key-value store in one table of a SQLite database. Several processes can open the same file. */
export function openSqliteStore(path: string): KeyValueStore {
  const database = new DatabaseSync(path);
  // A commit is on disk when COMMIT returns, also after a power cut: EXTRA. `secure_delete` overwrites what is replaced or deleted. The
  // journal is deleted with each commit; a write-ahead log would keep old values. A process waits up to 10 s for the lock of another.
  database.exec(`
    PRAGMA busy_timeout = 10000;
    PRAGMA journal_mode = DELETE;
    PRAGMA synchronous = EXTRA;
    PRAGMA secure_delete = ON;
    CREATE TABLE IF NOT EXISTS pairs (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `);

  // One statement sees one state of the database. SQLite compares text by its bytes.
  const getAll = database.prepare("SELECT key, value FROM pairs WHERE key IN (SELECT value FROM json_each(?))");
  const listUp = database.prepare("SELECT key, value FROM pairs WHERE key >= ? AND key < ? ORDER BY key LIMIT ?");
  const listDown = database.prepare(
    "SELECT key, value FROM pairs WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?",
  );
  const put = database.prepare(
    "INSERT INTO pairs (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  const remove = database.prepare("DELETE FROM pairs WHERE key = ?");
  const fullDisk = 13;

  function read(keys: readonly string[]): ReadonlyMap<unknown, unknown> {
    return new Map(getAll.all(JSON.stringify(keys)).map(({ key, value }) => [key, value]));
  }

  /** Runs a transaction that no other process can change anything during. If `work` returns false or throws, nothing is written. */
  function transaction(work: () => boolean): boolean {
    database.exec("BEGIN IMMEDIATE");
    try {
      const written = work();
      database.exec(written ? "COMMIT" : "ROLLBACK");
      return written;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  return {
    async get(keys) {
      const found = read(keys);
      return keys.map((key) => (found.has(key) ? String(found.get(key)) : undefined));
    },

    async list({ from, to, limit, reverse = false }) {
      const rows = (reverse ? listDown : listUp).all(from, to, limit);
      return rows.map(({ key, value }) => ({ key: String(key), value: String(value) }));
    },

    async commit({ expected, changes }) {
      try {
        return transaction(() => {
          const found = read([...expected.keys()]);
          for (const [key, value] of expected) if (found.get(key) !== value) return false;
          for (const [key, value] of changes) {
            if (value === undefined) remove.run(key);
            else put.run(key, value);
          }
          return true;
        });
      } catch (error) {
        // Readiness then says that the disk is full. Any other error becomes "unavailable", with this one as its cause.
        const full = error instanceof Error && "errcode" in error && error.errcode === fullDisk;
        throw full ? new StorageError("full", { cause: error }) : error;
      }
    },

    async close() {
      database.close();
    },
  };
}
