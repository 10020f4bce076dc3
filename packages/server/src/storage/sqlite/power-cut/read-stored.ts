import { DatabaseSync } from "node:sqlite";
import type { Item } from "../../../domain/item.js";
import { integer, type Row, text } from "../columns.js";
import type { Stored, StoredChange } from "./model.js";

const change = (row: Row): StoredChange => ({
  vaultId: text(row, "vault_id"),
  itemId: text(row, "item_id"),
  version: integer(row, "version"),
  state: text(row, "state"),
  sequence: integer(row, "sequence"),
});

/**
 * Reads a closed database without the vault `except`.
 *
 * @param listed the items as the storage listed them.
 * @throws Error if the database is damaged.
 */
export function readStored(path: string, listed: readonly Item[], except: string): Omit<Stored, "records"> {
  const database = new DatabaseSync(path);
  const rows = <T>(sql: string, read: (row: Row) => T): T[] =>
    database
      .prepare(sql)
      .all(...(sql.includes("?") ? [except] : []))
      .map(read);
  try {
    const integrity = rows("PRAGMA integrity_check", (row) => text(row, "integrity_check")).join();
    if (integrity !== "ok") throw new Error(integrity);
    return {
      vaults: rows("SELECT vault_id, sequence FROM vaults WHERE vault_id <> ?", (row) => ({
        vaultId: text(row, "vault_id"),
        sequence: integer(row, "sequence"),
      })),
      changes: rows(
        `SELECT vault_id, item_id, changes.version, changes.state, changes.sequence
         FROM changes JOIN items ON items.id = item JOIN vaults ON vaults.id = changes.vault
         WHERE vault_id <> ? ORDER BY vault_id, changes.sequence`,
        change,
      ),
      items: listed.map(({ encryptedPayload, ...item }) => ({ ...item, content: encryptedPayload.ciphertext })),
      audit: rows(
        `SELECT substr(subject, 6) || ' ' || iif(event = 'shredded', event, version_after) AS line
         FROM audit WHERE subject NOT LIKE 'item:' || ? || '/%'`,
        (row) => text(row, "line"),
      ),
    };
  } finally {
    database.close();
  }
}
