import type { ItemContent, ItemRef, StoredItem, WrappedKey } from "../../../domain/item.js";
import { integer, optional, type Row, text, word } from "../columns.js";

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
export const contentColumns = "kind, payload_alg, payload_version, content";

/** An item's row with its content, which is NULL once it is shredded. */
export function toContent(row: Row): ItemContent {
  const { titleHash, nonce, aad, ciphertext, wrappedKeys } = optional(storedContent, row, "content") ?? noContent;
  return {
    kind: text(row, "kind"),
    titleHash,
    encryptedPayload: {
      alg: text(row, "payload_alg"),
      nonce,
      aad,
      ciphertext,
      version: integer(row, "payload_version"),
    },
    wrappedKeys,
  };
}

function storedContent(row: Row, column: string): StoredContent {
  // Written by contentJson, and by nothing else.
  return JSON.parse(text(row, column));
}
