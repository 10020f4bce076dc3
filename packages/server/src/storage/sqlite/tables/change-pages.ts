import type { DatabaseSync } from "node:sqlite";
import { type Item, wholeItem } from "../../../domain/model/item.js";
import type { ChangeQuery } from "../../../ports/queries.js";
import { fitPage } from "../../fit-page.js";
import { flag, integer, prepareAll, text } from "../database/columns.js";
import { type Changes, damagedHistory, walkBack, walkFrom } from "./changes.js";
import {
  createDescribe,
  followsChange,
  joinTombstone,
  statusColumns,
  statusSequence,
  toContent,
  toStoredItem,
} from "./item-row.js";
import type { VaultRow } from "./vaults.js";

/**
 * The default number of walks in one read. Together they visit 512 changes, in about 1 ms, during which all other calls wait. More of
 * them would make reading a history little faster: see docs/internals/performance-history.md.
 */
const walksPerRead = 16;

/** The number of rows that one statement reads: to begin one takes longer than to read a row, and a page may end after any of them. */
const rowsPerRead = 16;

/** How far the history was read for a page, and the items that it has found. */
export interface Scan {
  through: number;
  found: readonly FoundItem[];
}

/** An item with its newest sequence when it was found. */
interface FoundItem {
  /** The row id. */
  readonly item: number;
  readonly sequence: number;
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
  const follows = `${followsChange("walk")} AND ${statusSequence} <= :head`;
  // Newest first. To sort them, SQLite would take longer than to read a page.
  const selectNewest = prepareAll(
    database,
    `${walkBack} SELECT walk.item, walk.sequence, ifnull(sound AND ${follows}, 0) AS sound
    FROM walk LEFT JOIN items ON items.id = walk.item ${joinTombstone}
    WHERE sound IS NOT TRUE OR walk.sequence > :after AND (${statusSequence} = walk.sequence OR (${follows}) IS NOT TRUE)`,
  );
  const inOrder = `json_each(:items) AS found CROSS JOIN items ON items.id = found.value ${joinTombstone}`;
  const selectSequences = prepareAll(database, `SELECT ${statusSequence} AS sequence FROM ${inOrder}`);
  const selectRows = prepareAll(
    database,
    `SELECT content, contents.checksum AS content_checksum, item_id, ${statusColumns}
    FROM ${inOrder} LEFT JOIN contents ON contents.item = items.id`,
  );
  const describe = createDescribe(database);
  const idsOf = (found: readonly FoundItem[]) => ({ items: JSON.stringify(found.map(({ item }) => item)) });

  /** Returns the items that have not changed since they were found. */
  const unchanged = (found: readonly FoundItem[]): FoundItem[] => {
    const rows = selectSequences(idsOf(found));
    return found.filter(({ sequence }, index) => sequence === integer(rows[index] ?? {}, "sequence"));
  };

  function* itemsOf({ id, vault: { tenantId, vaultId } }: VaultRow, found: readonly FoundItem[]): Iterable<Item> {
    for (let at = 0; at < found.length; at += rowsPerRead) {
      for (const row of selectRows(idsOf(found.slice(at, at + rowsPerRead)))) {
        const ref = { tenantId, vaultId, itemId: text(row, "item_id") };
        yield wholeItem(toStoredItem(id, ref, row, () => toContent(row, describe)));
      }
    }
  }

  return {
    /**
     * Reads the next part of the history for a page. Returns the page, from one consistent view, or undefined if another part must
     * be read. Items may change between two reads: those found before are looked for again.
     */
    read(vault: VaultRow, query: ChangeQuery, scan: Scan): { items: readonly Item[]; hasMore: boolean } | undefined {
      const found = scan.found.length === 0 ? [] : unchanged(scan.found);
      for (let walk = 0; walk < atOnce; walk += 1) {
        const start = changes.startAfter(vault, scan.through);
        if (start !== undefined) {
          const rows = selectNewest({ ...walkFrom(vault, start, scan.through), head: vault.head });
          for (const row of rows.reverse()) {
            if (!flag(row, "sound")) throw damagedHistory(vault);
            found.push({ item: integer(row, "item"), sequence: integer(row, "sequence") });
          }
          scan.through = start.sequence;
        }
        if (start === undefined || start.newest || found.length > query.limit) {
          const { items, hasMore } = fitPage(itemsOf(vault, found.slice(0, query.limit)), query);
          return { items, hasMore: hasMore || found.length > query.limit };
        }
      }
      scan.found = found;
      return undefined;
    },
  };
}
