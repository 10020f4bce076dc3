import type { ItemContent, ItemRef, StoredItem, WrappedKey } from "../../../domain/item.js";
import { integer, optional, type Row, text, word } from "../columns.js";
import { contentChecksum } from "../content-checksum.js";
import { DamagedRowError } from "../sqlite-error.js";

/** What shredding destroys. */
interface StoredContent {
  readonly titleHash: string;
  readonly nonce: string;
  readonly aad: string;
  readonly ciphertext: string;
  readonly wrappedKeys: readonly WrappedKey[];
}

const noContent: StoredContent = { titleHash: "", nonce: "", aad: "", ciphertext: "", wrappedKeys: [] };

/** The content of an item as JSON. */
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
 * The columns that `toStoredItem` reads. A left join that found no item gives the same types as one that did: the work
 * of reading a row must not depend on what exists.
 */
export const statusColumns = `
  ifnull(items.id, 0) AS item, ifnull(version, 0) AS version, ifnull(items.sequence, 0) AS sequence,
  ifnull(state, 'live') AS state, ifnull(updated_at, 0) AS updated_at, ifnull(shred_at, 0) AS shred_at`;

/** A row of `items`, whose content `load` finds by the id of that row. */
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

/** An item's row with its content, which is NULL once it is shredded. @throws DamagedRowError */
export function toContent(row: Row): ItemContent {
  const kind = text(row, "kind");
  const alg = text(row, "payload_alg");
  const version = integer(row, "payload_version");
  const content = optional(text, row, "content");
  if (content === undefined) {
    if (text(row, "state") !== "shredded") throw new DamagedRowError("an item that is not shredded has no content");
  } else if (integer(row, "checksum") !== contentChecksum(integer(row, "item"), kind, alg, version, content)) {
    throw new DamagedRowError("a content does not have its checksum");
  }
  const { titleHash, nonce, aad, ciphertext, wrappedKeys } = content === undefined ? noContent : parsed(content);
  return { kind, titleHash, encryptedPayload: { alg, nonce, aad, ciphertext, version }, wrappedKeys };
}

function parsed(content: string): StoredContent {
  // Written by contentJson, and by nothing else.
  return JSON.parse(content);
}
