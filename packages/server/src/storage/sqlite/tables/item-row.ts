import type { DatabaseSync } from "node:sqlite";
import {
  type CurrentItem,
  type ItemContent,
  type ItemRef,
  type ItemStatus,
  noEarlier,
} from "../../../domain/model/item.js";
import { checksumOf } from "../../checksum.js";
import type { ContentDescription } from "../../engine/working-set.js";
import { readContent } from "../../stored-content.js";
import {
  damagedRow,
  integer,
  optional,
  prepareGet,
  type Row,
  requireChecksum,
  text,
  word,
} from "../database/columns.js";
import { DamagedRowError } from "../database/sqlite-error.js";

/** A content to write: its JSON and that of the earlier ones, and the columns that describe it. */
export interface WrittenContent extends ContentDescription {
  readonly json: string;
  readonly earlier: string;
}

/**
 * The columns that `toStoredItem` reads, of an item and its tombstone. A left join without an item gives the same types as one with
 * an item, so that reading a row takes the same time whether the item exists or not.
 */
export const statusColumns = `
  ifnull(items.id, 0) AS item, coalesce(tombstones.version, items.version, 0) AS version,
  coalesce(tombstones.sequence, items.sequence, 0) AS sequence,
  iif(tombstones.item IS NULL, ifnull(items.state, 'live'), 'deleted') AS state,
  coalesce(deleted_at, updated_at, 0) AS updated_at, ifnull(shred_at, 0) AS shred_at,
  coalesce(tombstones.checksum, items.checksum, 0) AS status_checksum`;

/** Joins the tombstone of an item. Without an item, it looks up row 0, which never exists, so that both cases take the same time. */
export const joinTombstone = "LEFT JOIN tombstones ON tombstones.item = ifnull(items.id, 0)";

/** The SQL of the version and the sequence of an item, with its tombstone joined. */
export const statusVersion = "ifnull(tombstones.version, items.version)";
export const statusSequence = "ifnull(tombstones.sequence, items.sequence)";

/** Returns the SQL of whether the status of an item agrees with one of its changes: it is that of the change, or of a later one. */
export function followsChange(change: string): string {
  return `iif(${statusSequence} = ${change}.sequence, ${statusVersion} = ${change}.version,
    ${statusSequence} > ${change}.sequence AND ${statusVersion} > ${change}.version)`;
}

/**
 * Reads an item of the vault with a row id. Without an item, the row has none. `load` loads the content by the id of the row.
 *
 * @throws DamagedRowError
 */
export function toStoredItem(
  vault: number,
  { tenantId, vaultId, itemId }: ItemRef,
  row: Row,
  load: (item: number) => ItemContent,
): CurrentItem {
  const item = integer(row, "item");
  const shredAt = integer(row, "shred_at");
  const stored: CurrentItem = {
    tenantId,
    vaultId,
    itemId,
    version: integer(row, "version"),
    sequence: integer(row, "sequence"),
    state: word(["live", "deleted", "shredded"], row, "state"),
    updatedAt: integer(row, "updated_at"),
    shredAt: shredAt === 0 ? undefined : shredAt,
    content: () => load(item),
  };
  // Computed in both cases, so that both take the same time.
  const checksum = statusChecksum(item, vault, stored.sequence, stored);
  if (item !== 0 && integer(row, "status_checksum") !== checksum) {
    throw damagedRow(row, stored.state === "deleted" ? "tombstones" : "items", { vault, tenantId, vaultId, itemId });
  }
  return stored;
}

/**
 * Computes the checksum of the status of an item: of its row in `tombstones` if it is deleted, else of that in `items`.
 *
 * @param item the row id. 0: a statement adds it.
 */
export function statusChecksum(
  item: number,
  vault: number,
  sequence: number,
  { itemId, state, version, updatedAt, shredAt }: ItemStatus,
): number {
  return checksumOf([itemId, state], item, vault, version, sequence, updatedAt, shredAt);
}

/** The integers of that checksum, in their order. */
export const statusIntegers = ["item", "vault", "version", "sequence", "updated_at", "shred_at"] as const;

/** Computes the checksum of the columns of an item that describe its content. @param item the row id. 0: a statement adds it. */
export function descriptionChecksum(item: number, kind: string, alg: string, version: number): number {
  return checksumOf([kind, alg], item, version);
}

/** The columns that `toDescription` reads. */
const descriptionColumns =
  "items.id AS item, items.state AS state, kind, payload_alg, payload_version, description_checksum";

/** The columns that `toContent` reads. */
export const contentColumns: string = `${descriptionColumns}, content, contents.checksum AS content_checksum`;

/** Reads the columns that describe the content of an item. @throws DamagedRowError */
export function toDescription(row: Row): ContentDescription {
  const kind = text(row, "kind");
  const alg = text(row, "payload_alg");
  const payloadVersion = integer(row, "payload_version");
  const checksum = descriptionChecksum(integer(row, "item"), kind, alg, payloadVersion);
  requireChecksum(row, checksum, "items", "description_checksum");
  return { kind, alg, payloadVersion };
}

/**
 * Reads the content of an item, which is NULL once it is shredded.
 *
 * @param describe returns the row with the columns that describe it. Default: the same one.
 * @throws DamagedRowError
 */
export function toContent(row: Row, describe: (item: number) => Row = () => row): ItemContent {
  const item = integer(row, "item");
  const stored = optional(text, row, "content");
  if (stored !== undefined) requireChecksum(row, contentChecksum(item, stored), "contents", "content_checksum");
  // Contents of development versions have blanks around the JSON.
  const json = stored?.trim();
  return readContent(json, () => {
    const described = describe(item);
    if (json === undefined && text(described, "state") !== "shredded")
      throw new DamagedRowError("the content of an unshredded item is missing");
    return toDescription(described);
  });
}

/** Creates a function that returns the row of an item with the columns that describe its content. */
export function createDescribe(database: DatabaseSync): (item: number) => Row {
  const select = prepareGet(database, `SELECT ${descriptionColumns} FROM items WHERE id = ?`);
  return (item) => select(item) ?? {};
}

/** Creates a function that loads the content of an item by the id of its row. @throws DamagedRowError */
export function createLoadContent(database: DatabaseSync): (item: number) => ItemContent {
  const select = prepareGet(
    database,
    "SELECT item, content, checksum AS content_checksum FROM contents WHERE item = ?",
  );
  const describe = createDescribe(database);
  return (item) => toContent(select(item) ?? { item, content: null }, describe);
}

/** Reads the earlier contents of an item. @throws DamagedRowError */
export function toEarlier(row: Row): string {
  const earlier = text(row, "earlier");
  requireChecksum(row, contentChecksum(integer(row, "item"), earlier), "earlier_contents");
  return earlier;
}

/** Creates a function that loads the earlier contents of an item by the id of its row. @throws DamagedRowError */
export function createLoadEarlier(database: DatabaseSync): (item: number) => string {
  const select = prepareGet(database, "SELECT item, earlier, checksum FROM earlier_contents WHERE item = ?");
  return (item) => {
    const row = select(item);
    return row === undefined ? noEarlier : toEarlier(row);
  };
}

/** Added to every checksum, so that SQLite stores it in six bytes. `shreddable-text.ts` depends on that. */
const sixBytes = 2 ** 40;

/** Computes the checksum of a content as stored. It covers the id of the row, so that content stored under another item is detected too. */
export function contentChecksum(item: number, content: string): number {
  return sixBytes + checksumOf([content], item);
}
