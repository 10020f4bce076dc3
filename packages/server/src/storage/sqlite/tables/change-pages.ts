import type { DatabaseSync } from "node:sqlite";
import { type Item, wholeItem } from "../../../domain/item.js";
import type { ChangeQuery } from "../../../ports/queries.js";
import { fitPage } from "../../fit-page.js";
import { integer, text } from "../database/columns.js";
import { type Changes, walkBack } from "./changes.js";
import { joinTombstone, statusColumns, toContent, toStoredItem } from "./item-row.js";
import type { VaultRow } from "./vaults.js";

/**
 * The default number of walks in one read. Together they visit 512 changes, in about 1 ms, during which all other calls wait. More of
 * them would make reading a history little faster: see docs/internals/performance-history.md.
 */
const walksPerRead = 16;

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
  const isNewest = "ifnull(tombstones.sequence, items.sequence)";
  // Newest first. To sort them, SQLite would take longer than to read a page.
  const selectNewest = database.prepare(`
    ${walkBack} SELECT walk.position FROM walk CROSS JOIN items ON items.id = walk.item ${joinTombstone}
    WHERE ${isNewest} = walk.sequence`);
  const select = database.prepare(`
    SELECT item_id, items.kind, payload_alg, payload_version, content, checksum, ${statusColumns}
    FROM changes CROSS JOIN items ON items.id = changes.item ${joinTombstone} LEFT JOIN contents ON contents.item = items.id
    WHERE position = ? AND ${isNewest} = changes.sequence`);

  /** Reads the items at positions. */
  function* itemsAt({ vault: { tenantId, vaultId } }: VaultRow, positions: readonly number[]): Iterable<Item> {
    for (const position of positions) {
      const row = select.get(position);
      if (row === undefined) continue;
      yield wholeItem(toStoredItem({ tenantId, vaultId, itemId: text(row, "item_id") }, row, () => toContent(row)));
    }
  }

  return {
    /**
     * Reads the next part of the history for a page. Returns the page, from one consistent view, or undefined if another part must
     * be read. Items may change between two reads: those found before are looked for again.
     */
    read(vault: VaultRow, query: ChangeQuery, scan: Scan): { items: readonly Item[]; hasMore: boolean } | undefined {
      const positions = scan.found.filter((position) => select.get(position) !== undefined);
      for (let walk = 0; walk < atOnce; walk += 1) {
        const start = changes.startAfter(vault, scan.through);
        if (start !== undefined) {
          const { position, sequence } = start;
          const found = selectNewest.all({ last: position, after: scan.through });
          for (const row of found.reverse()) positions.push(integer(row, "position"));
          scan.through = sequence;
        }
        if (start === undefined || start.newest || positions.length > query.limit)
          return fitPage(itemsAt(vault, positions), query);
      }
      scan.found = positions;
      return undefined;
    },
  };
}
