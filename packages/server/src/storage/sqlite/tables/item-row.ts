import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { ItemContent, ItemRef, StoredItem, WrappedKey } from "../../../domain/item.js";
import { integer, optional, type Row, text, word } from "../database/columns.js";
import { DamagedRowError } from "../database/sqlite-error.js";

/** The content that shredding erases. */
interface StoredContent {
  readonly titleHash: string;
  readonly nonce: string;
  readonly aad: string;
  readonly ciphertext: string;
  readonly wrappedKeys: readonly WrappedKey[];
}

const noContent: StoredContent = { titleHash: "", nonce: "", aad: "", ciphertext: "", wrappedKeys: [] };

/** Serializes the content of an item. */
export function contentJson({ titleHash, encryptedPayload, wrappedKeys }: ItemContent): string {
  const { nonce, aad, ciphertext } = encryptedPayload;
  const content: StoredContent = {
    titleHash,
    nonce,
    aad,
    ciphertext,
    wrappedKeys: wrappedKeys.map(({ recipientId, wrapAlg, wrappedKey }) => ({ recipientId, wrapAlg, wrappedKey })),
  };
  return JSON.stringify(content);
}

/**
 * The columns that `toStoredItem` reads, of an item and its tombstone. A left join without an item gives the same types as one with
 * an item, so that reading a row takes the same time whether the item exists or not.
 */
export const statusColumns = `
  ifnull(items.id, 0) AS item, coalesce(tombstones.version, items.version, 0) AS version,
  coalesce(tombstones.sequence, items.sequence, 0) AS sequence,
  iif(tombstones.item IS NULL, ifnull(items.state, 'live'), 'deleted') AS state,
  coalesce(deleted_at, updated_at, 0) AS updated_at, ifnull(shred_at, 0) AS shred_at`;

/** Joins the tombstone of an item. Without an item, it looks up row 0, which never exists, so that both cases take the same time. */
export const joinTombstone = "LEFT JOIN tombstones ON tombstones.item = ifnull(items.id, 0)";

/** Reads an item. `load` loads the content by the id of the row. */
export function toStoredItem(
  { tenantId, vaultId, itemId }: ItemRef,
  row: Row,
  load: (item: number) => ItemContent,
): StoredItem {
  const item = integer(row, "item");
  const shredAt = integer(row, "shred_at");
  return {
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
}

/** The columns that `toContent` reads. */
export const contentColumns = "items.id AS item, state, kind, payload_alg, payload_version, content, checksum";

/** Reads the content of an item's row, which is NULL once it is shredded. @throws DamagedRowError */
export function toContent(row: Row): ItemContent {
  const kind = text(row, "kind");
  const alg = text(row, "payload_alg");
  const version = integer(row, "payload_version");
  const content = optional(text, row, "content");
  if (content === undefined) {
    if (text(row, "state") !== "shredded") throw new DamagedRowError("the content of an unshredded item is missing");
  } else if (integer(row, "checksum") !== contentChecksum(integer(row, "item"), kind, alg, version, content)) {
    throw new DamagedRowError("a content does not match its checksum");
  }
  const { titleHash, nonce, aad, ciphertext, wrappedKeys } = content === undefined ? noContent : parsed(content);
  return { kind, titleHash, encryptedPayload: { alg, nonce, aad, ciphertext, version }, wrappedKeys };
}

/** Creates a function that loads the content of an item by the id of its row. @throws DamagedRowError */
export function createLoadContent(database: DatabaseSync): (item: number) => ItemContent {
  const select = database.prepare(`
    SELECT ${contentColumns} FROM items LEFT JOIN contents ON contents.item = items.id WHERE items.id = ?`);
  return (item) => toContent(select.get(item) ?? {});
}

function parsed(content: string): StoredContent {
  // Only contentJson writes it.
  return JSON.parse(content);
}

/** Added to every checksum, so that SQLite stores it in six bytes. `shreddable-text.ts` depends on that. */
const sixBytes = 2 ** 40;

/**
 * Computes the checksum of an item's content. It covers the content as stored, the columns that describe it, and the id of
 * the row, so that content stored under another item is detected too.
 *
 * A CRC-32 detects errors of disks and memory, at a tenth of the cost of a cryptographic hash. It does not protect against
 * someone who can write the file: the encryption of the content does.
 */
export function contentChecksum(item: number, kind: string, alg: string, version: number, content: string): number {
  return sixBytes + crc32(content, crc32(JSON.stringify([item, kind, alg, version])));
}
