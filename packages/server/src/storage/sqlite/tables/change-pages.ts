import type { DatabaseSync } from "node:sqlite";
import { type Item, wholeItem } from "../../../domain/item.js";
import type { ChangeQuery } from "../../../ports/queries.js";
import { integer, type Row, text } from "../database/columns.js";
import { type Changes, walkBack } from "./changes.js";
import { joinTombstone, statusColumns, toContent, toStoredItem } from "./item-row.js";
import type { VaultRow } from "./vaults.js";

/**
 * The default number of walks in one read. Together they take about 1 ms, during which all other calls wait. More of them would
 * make reading a history little faster: see docs/internals/performance-history.md.
 */
const walksPerRead = 2;

/** How far the history was read for a page, and the positions of the items that it has found. */
export interface Scan {
  through: number;
  found: readonly number[];
}

/** Creates the scan of a page that has not been read yet. */
export function newScan(afterSequence: number): Scan {
  return { through: afterSequence, found: [] };
}

/**
 * Pages of items that changed after a position. They are read from the history, and every change that is not the newest of its
 * item is skipped: a change that was skipped once can be skipped forever.
 */
export function createChangePages(database: DatabaseSync, changes: Pick<Changes, "startAfter">, atOnce = walksPerRead) {
  const columns = `position, item_id, items.kind, payload_alg, payload_version, ${statusColumns}`;
  const itemOfChange = `CROSS JOIN items ON items.id = places.item ${joinTombstone}`;
  const isNewest = "ifnull(tombstones.sequence, items.sequence) = places.sequence";
  // The contents are read for the rows of the page only, once these are selected.
  const selectNewest = database.prepare(`
    ${walkBack} SELECT page.*, content, checksum
    FROM (
      SELECT ${columns} FROM walk AS places ${itemOfChange} WHERE ${isNewest} ORDER BY places.sequence LIMIT :limit
    ) AS page LEFT JOIN contents ON contents.item = page.item ORDER BY page.sequence`);
  const selectAgain = database.prepare(`
    SELECT ${columns}, content, checksum
    FROM changes AS places ${itemOfChange} LEFT JOIN contents ON contents.item = items.id
    WHERE ${isNewest} AND position = ?`);

  const toPage = (
    { vault }: VaultRow,
    rows: readonly Row[],
    { limit, maxBytes = Number.POSITIVE_INFINITY }: ChangeQuery,
  ) => {
    const items: Item[] = [];
    let bytes = 0;
    for (const row of rows) {
      if (items.length === limit) return { items, hasMore: true };
      const { tenantId, vaultId } = vault;
      const ref = { tenantId, vaultId, itemId: text(row, "item_id") };
      const item = wholeItem(toStoredItem(ref, row, () => toContent(row)));
      bytes += Buffer.byteLength(JSON.stringify(item));
      if (bytes > maxBytes && items.length > 0) return { items, hasMore: true };
      items.push(item);
    }
    return { items, hasMore: false };
  };

  return {
    /**
     * Reads the next part of the history for a page. Returns the page, from one consistent view, or undefined if another part must
     * be read. Items may change between two reads: those found before are read again.
     */
    read(vault: VaultRow, query: ChangeQuery, scan: Scan): { items: readonly Item[]; hasMore: boolean } | undefined {
      const rows = scan.found.flatMap((position) => selectAgain.all(position));
      for (let walk = 0; walk < atOnce; walk += 1) {
        const start = changes.startAfter(vault, scan.through);
        if (start !== undefined) {
          const { position, sequence } = start;
          rows.push(...selectNewest.all({ last: position, after: scan.through, limit: query.limit + 1 }));
          scan.through = sequence;
        }
        if (start === undefined || start.newest || rows.length > query.limit) return toPage(vault, rows, query);
      }
      scan.found = rows.map((row) => integer(row, "position"));
      return undefined;
    },
  };
}
