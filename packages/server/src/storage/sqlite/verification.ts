import type { DatabaseSync } from "node:sqlite";
import { integer, optional, text } from "./database/columns.js";
import { contentColumns, joinTombstone, toContent } from "./tables/item-row.js";
import { toRecord } from "./tables/records.js";

/** The duration of one call, in milliseconds. All other calls wait meanwhile. */
const callTime = 5;

/** Rows read in one call from each table without checksums. Reading them finds malformed pages. */
const rowsAtOnce = 200;

/**
 * Creates a function that verifies a part of the database at each call, and starts again at the end: each content and record by its
 * checksum, and the rows of tombstones, of the history and of the audit trail by reading them.
 *
 * The function throws DamagedRowError, or SQLite's error for a malformed page.
 */
export function createVerification(database: DatabaseSync): () => void {
  const contents = database.prepare(`
    SELECT ${contentColumns}, deleted_at FROM items LEFT JOIN contents ON contents.item = items.id ${joinTombstone}
    WHERE items.id > ? ORDER BY items.id`);
  const records = database.prepare("SELECT * FROM records WHERE (collection, key) > (?, ?) ORDER BY collection, key");
  const logs = ["changes", "audit", "audit_seals"].map((table) =>
    database.prepare(`
      SELECT max(position) AS position FROM (SELECT * FROM ${table} WHERE position > ? ORDER BY position LIMIT ${rowsAtOnce})
    `),
  );
  let item = 0;
  let record: readonly [collection: string, key: string] = ["", ""];
  const positions = logs.map(() => 0);

  return () => {
    for (const [index, log] of logs.entries()) {
      positions[index] = optional(integer, log.get(positions[index] ?? 0) ?? {}, "position") ?? 0;
    }
    const endsAt = performance.now() + callTime;
    for (const row of contents.iterate(item)) {
      // Set before the check, so that the next call continues after a damaged row. The same applies to records.
      item = integer(row, "item");
      toContent(row);
      if (performance.now() >= endsAt) return;
    }
    for (const row of records.iterate(...record)) {
      record = [text(row, "collection"), text(row, "key")];
      toRecord(row);
      if (performance.now() >= endsAt) return;
    }
    item = 0;
    record = ["", ""];
  };
}
