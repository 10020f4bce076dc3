/** Content that only holders of the item key can read: opaque to every rule. */
export interface EncryptedPayload {
  readonly alg: string;
  readonly nonce: string;
  readonly aad: string;
  readonly ciphertext: string;
  readonly version: number;
}

/** The item key, encrypted to one recipient. */
export interface WrappedKey {
  readonly recipientId: string;
  readonly wrapAlg: string;
  readonly wrappedKey: string;
}

/** Names an item: ids are unique within their vault, vault ids within their tenant. */
export interface ItemRef {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId: string;
}

/** What the owner of an item writes. */
export interface ItemContent {
  readonly kind: string;
  readonly titleHash: string;
  readonly encryptedPayload: EncryptedPayload;
  readonly wrappedKeys: readonly WrappedKey[];
}

/**
 * Where one change leaves an item, without its content.
 *
 * `live` → `deleted` (a tombstone, content kept) → `shredded` (content gone for good); a tombstone can go back to `live`.
 */
export interface ItemStatus extends ItemRef {
  /** Grows by one with every change. Starts at 1, or above the vault's floor when a backup was restored. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly state: "live" | "deleted" | "shredded";
  /** When the tombstone's retention ends, in milliseconds since the epoch. Set while `deleted`, and only then. */
  readonly shredAt: number | undefined;
}

/** An item as one change leaves it, before storage has given the change its place in the vault's history. */
export interface ItemChange extends ItemStatus, ItemContent {}

/** An item at rest. */
export interface Item extends ItemChange {
  /** The position of its newest change in the vault's history. */
  readonly sequence: number;
}

/** An item as a decision finds it: its status, and its content on request. */
export interface StoredItem extends ItemStatus {
  /** The position of its newest change in the vault's history. */
  readonly sequence: number;
  /** Loads the content. Called only for an outcome that contains the content, or to compare with it. */
  readonly content: () => ItemContent;
}

/** A stored item with its content. */
export function wholeItem(item: StoredItem): Item {
  // Named one by one: a rest copy is many times as slow, and this is part of every answer of an item.
  const { tenantId, vaultId, itemId, version, updatedAt, state, shredAt, sequence } = item;
  return { ...item.content(), tenantId, vaultId, itemId, version, updatedAt, state, shredAt, sequence };
}

/** Where an item stands, for a caller who believed it elsewhere. Holds no content. */
export interface VersionConflict {
  readonly itemId: string;
  readonly baseVersion: number;
  readonly currentVersion: number;
  readonly deleted: boolean;
  readonly vaultId: string;
  readonly sequence: number;
}

/** The refusal of a change whose base version is not where the item stands. */
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

/** What shredding leaves of a content: every secret string empty. */
export function shreddedContent({ kind, encryptedPayload }: ItemContent): ItemContent {
  return {
    kind,
    titleHash: "",
    encryptedPayload: { ...encryptedPayload, nonce: "", aad: "", ciphertext: "" },
    wrappedKeys: [],
  };
}
