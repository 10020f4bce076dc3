import type { Item, ItemChange, WrappedKey } from "../../../domain/item.js";
import type { Vault } from "../../../domain/vault.js";
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

/** The content of an item as JSON. Equal contents give equal texts. */
export function contentJson({ titleHash, encryptedPayload, wrappedKeys }: ItemChange): string {
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

/** The columns that `toItem` reads. */
export const itemColumns =
  "item_id, version, sequence, state, kind, updated_at, shred_at, payload_alg, payload_version, content";

/** A row of a vault's `items`, with its content, which is NULL once it is shredded. */
export function toItem({ tenantId, vaultId }: Vault, row: Row): Item {
  const { titleHash, nonce, aad, ciphertext, wrappedKeys } = optional(storedContent, row, "content") ?? noContent;
  return {
    tenantId,
    vaultId,
    itemId: text(row, "item_id"),
    version: integer(row, "version"),
    sequence: integer(row, "sequence"),
    state: word(["live", "deleted", "shredded"], row, "state"),
    kind: text(row, "kind"),
    titleHash,
    updatedAt: integer(row, "updated_at"),
    shredAt: optional(integer, row, "shred_at"),
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
