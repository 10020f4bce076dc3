import type { DatabaseSync } from "node:sqlite";
import { integer, optional } from "./columns.js";
import { contentColumns, toContent } from "./tables/item-row.js";

/** How long a turn lasts, in milliseconds: calls wait for it. */
const turnTime = 5;

/** Rows of a table that hold no checksum: reading them finds pages that are not what they should be. */
const rowsAtOnce = 200;

/**
 * Creates the check that goes through everything that grows, a part at each turn, and then starts again: each content by
 * its checksum, and the rows of the history and the audit trail by reading them.
 *
 * @throws DamagedRowError, or SQLite's error for a page that is malformed.
 */
export function createVerification(database: DatabaseSync): () => void {
  const contents = database.prepare(`
    SELECT ${contentColumns} FROM items LEFT JOIN contents ON contents.item = items.id
    WHERE items.id > ? ORDER BY items.id`);
  const logs = ["changes", "audit"].map((table) =>
    database.prepare(`
      SELECT max(position) AS position FROM (SELECT * FROM ${table} WHERE position > ? ORDER BY position LIMIT ${rowsAtOnce})
    `),
  );
  let item = 0;
  const positions = logs.map(() => 0);

  return () => {
    for (const [index, log] of logs.entries()) {
      positions[index] = optional(integer, log.get(positions[index] ?? 0) ?? {}, "position") ?? 0;
    }
    const endsAt = performance.now() + turnTime;
    for (const row of contents.iterate(item)) {
      // Whatever it finds, the next turn goes on behind it.
      item = integer(row, "item");
      toContent(row);
      if (performance.now() >= endsAt) return;
    }
    item = 0;
  };
}
