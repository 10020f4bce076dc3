/** Content that only owners of the item key can read. No rule interprets it. */
export interface EncryptedPayload {
  /** The content encryption algorithm, such as `A256GCM`. */
  readonly alg: string;
  /** Base64url without padding, like `aad` and `ciphertext`. */
  readonly nonce: string;
  /** Additional authenticated data; may be empty. */
  readonly aad: string;
  /** The ciphertext with its tag. */
  readonly ciphertext: string;
  /** The version of the caller's payload format, not of the item. */
  readonly version: number;
}

/** The item key, encrypted to one recipient. */
export interface WrappedKey {
  /** Who can unwrap the key: usually a principal id. */
  readonly recipientId: string;
  /** The key wrapping algorithm, such as `RSA-OAEP-256`. */
  readonly wrapAlg: string;
  /** Base64url without padding. */
  readonly wrappedKey: string;
}

/** Identifies an item. Item ids are unique within their vault, vault ids within their tenant. */
export interface ItemRef {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId: string;
}

/** The content of an item, as its owner writes it. `sealItem` of `@platform-rpc/client/crypto` creates it. */
export interface ItemContent {
  /** What the item contains, such as `login` or `secure_note`. It is not encrypted, and no rule depends on it. */
  readonly kind: string;
  /** A keyed hash of the title, computed by the caller: base64url without padding, or empty. */
  readonly titleHash: string;
  readonly encryptedPayload: EncryptedPayload;
  /** The item key, wrapped once for each recipient. */
  readonly wrappedKeys: readonly WrappedKey[];
}

/**
 * The status of an item after a change, without its content.
 *
 * `live` → `deleted` (a tombstone, content kept) → `shredded` (content erased); a tombstone can be restored to `live`.
 */
export interface ItemStatus extends ItemRef {
  /** Incremented by every change. Starts at 1, or above the vault's floor after a backup was restored. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly state: "live" | "deleted" | "shredded";
  /** When the tombstone's retention ends, in milliseconds since the epoch. Set only while `deleted`. */
  readonly shredAt: number | undefined;
}

/** An item after a change, before the storage has assigned a sequence. */
export interface ItemChange extends ItemStatus, ItemContent {}

/** A stored item. */
export interface Item extends ItemChange {
  /** The sequence of its newest change in the vault's history. */
  readonly sequence: number;
}

/** A stored item as a decision reads it: its status, and its content on demand. */
export interface StoredItem extends ItemStatus {
  /** The sequence of its newest change in the vault's history. */
  readonly sequence: number;
  /** Loads the content. Call it only for an outcome that contains the content, or to compare with it. */
  readonly content: () => ItemContent;
}

/** Returns a stored item with its content. */
export function wholeItem(item: StoredItem): Item {
  // Lists every field, because object rest is many times slower and every response with an item runs this.
  const { tenantId, vaultId, itemId, version, updatedAt, state, shredAt, sequence } = item;
  return { ...item.content(), tenantId, vaultId, itemId, version, updatedAt, state, shredAt, sequence };
}

/** The current version of an item, for a caller with another base version. Contains no content. */
export interface VersionConflict {
  readonly itemId: string;
  readonly baseVersion: number;
  readonly currentVersion: number;
  readonly deleted: boolean;
  readonly vaultId: string;
  readonly sequence: number;
}

/** Creates the rejection of a change whose base version is not the current version. */
export function versionConflict(item: Omit<StoredItem, "content">, baseVersion: number) {
  return {
    ok: false,
    reason: "VERSION_CONFLICT",
    conflict: {
      itemId: item.itemId,
      baseVersion,
      currentVersion: item.version,
      deleted: item.state !== "live",
      vaultId: item.vaultId,
      sequence: item.sequence,
    } satisfies VersionConflict,
  } as const;
}

/** Returns the content after shredding: every secret string is empty. */
export function shreddedContent({ kind, encryptedPayload }: ItemContent): ItemContent {
  return {
    kind,
    titleHash: "",
    encryptedPayload: { ...encryptedPayload, nonce: "", aad: "", ciphertext: "" },
    wrappedKeys: [],
  };
}

/**
 * Returns the outcome of a decision about an item, with the item's sequence: the sequence of the change that was just written, or
 * of the item's last change when nothing was written.
 *
 * @throws TypeError when the storage assigned no sequence to a change.
 */
export function withSequence<Rejected extends { readonly ok: false }>({
  outcome,
  sequence,
}: {
  readonly outcome: { readonly ok: true; readonly item: Item | ItemChange } | Rejected;
  readonly sequence: number | undefined;
}): { readonly ok: true; readonly item: Item } | Rejected {
  if (!outcome.ok) return outcome;
  const { item } = outcome;
  if (sequence !== undefined) return { ok: true, item: { ...item, sequence } };
  if ("sequence" in item) return { ok: true, item };
  throw new TypeError("the storage assigned no sequence to a change");
}
