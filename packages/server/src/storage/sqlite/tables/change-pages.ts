import type { DatabaseSync } from "node:sqlite";
import { type Item, wholeItem } from "../../../domain/item.js";
import type { ChangeQuery } from "../../../ports/queries.js";
import { integer, type Row, text } from "../database/columns.js";
import { type Changes, walkBack } from "./changes.js";
import { createLoadContent, joinTombstone, statusColumns, toStoredItem } from "./item-row.js";
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
  const newestItem = `
    CROSS JOIN items ON items.id = places.item ${joinTombstone}
    WHERE ifnull(tombstones.sequence, items.sequence) = places.sequence`;
  const selectNewest = database.prepare(`
    ${walkBack} SELECT position, item_id, ${statusColumns}
    FROM walk AS places ${newestItem} ORDER BY places.sequence LIMIT :limit`);
  const selectAgain = database.prepare(`
    SELECT position, item_id, ${statusColumns}
    FROM changes AS places ${newestItem} AND position = ?`);
  const loadContent = createLoadContent(database);

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
      const item = wholeItem(toStoredItem(ref, row, loadContent));
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
