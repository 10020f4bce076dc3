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

/** A stored item. Copy it member by member: object spread misses those of its content. */
export interface Item extends ItemChange {
  /** The sequence of its newest change in the vault's history. */
  readonly sequence: number;
}

/** A stored item as a decision reads it: its status, and its content on demand. */
export interface StoredItem extends ItemStatus {
  /** The sequence of its newest change in the vault's history. */
  readonly sequence: number;
  /** Loads the content. Call it only for an outcome that contains the content, to compare with it, or to keep it as an earlier one. */
  readonly content: () => ItemContent;
  /** Loads the earlier contents, as `storedEarlier` returned them. See `earlier` of the ref. */
  readonly earlier: () => string;
}

/** What is stored for an item without earlier contents. */
export const noEarlier = "[]";

/** The most bytes that are stored for all earlier contents of an item: one value of a key-value store. FoundationDB allows 100,000. */
export const mostEarlierBytes = 90_000;

/** A stored item without its earlier contents: what most reads need. */
export type CurrentItem = Omit<StoredItem, "earlier">;

/**
 * A content as it is stored: JSON in the spelling of responses, which contain it unchanged. It is parsed when a member is read. The
 * members are getters, which object spread misses.
 */
export class JsonContent implements ItemContent {
  #parsed: ItemContent | undefined;

  /** @param json the result of `contentJson` */
  constructor(readonly json: string) {}

  get kind(): string {
    return this.#content.kind;
  }

  get titleHash(): string {
    return this.#content.titleHash;
  }

  get encryptedPayload(): EncryptedPayload {
    return this.#content.encryptedPayload;
  }

  get wrappedKeys(): readonly WrappedKey[] {
    return this.#content.wrappedKeys;
  }

  get #content(): ItemContent {
    this.#parsed ??= parsed(this.json);
    return this.#parsed;
  }

  /** For `JSON.stringify`, which does not know getters. */
  toJSON(): object {
    const { json, ...status } = this;
    return { ...status, ...parsed(json) };
  }
}

function parsed(json: string): ItemContent {
  return JSON.parse(json);
}

/** Returns the JSON of a content: its members in the order and the spelling of a response. */
export function contentJson(content: ItemContent): string {
  if (content instanceof JsonContent) return content.json;
  const { kind, titleHash, encryptedPayload, wrappedKeys } = content;
  const { alg, nonce, aad, ciphertext, version } = encryptedPayload;
  return JSON.stringify({
    kind,
    titleHash,
    encryptedPayload: { alg, nonce, aad, ciphertext, version },
    wrappedKeys: wrappedKeys.map(({ recipientId, wrapAlg, wrappedKey }) => ({ recipientId, wrapAlg, wrappedKey })),
  });
}

class ChangedItem extends JsonContent implements ItemChange {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId: string;
  readonly version: number;
  readonly updatedAt: number;
  readonly state: ItemStatus["state"];
  readonly shredAt: number | undefined;

  constructor(status: ItemStatus, json: string) {
    super(json);
    this.tenantId = status.tenantId;
    this.vaultId = status.vaultId;
    this.itemId = status.itemId;
    this.version = status.version;
    this.updatedAt = status.updatedAt;
    this.state = status.state;
    this.shredAt = status.shredAt;
  }
}

class WholeItem extends ChangedItem implements Item {
  constructor(
    status: ItemStatus,
    json: string,
    readonly sequence: number,
  ) {
    super(status, json);
  }
}

/** The most bytes that an item's JSON has besides those of its content: ids have at most 128 characters. */
export const bytesAroundContent: number = 3 * 128 + 256;

/** Returns a number that is not smaller than the bytes of an item's JSON. */
export function itemBytes(item: Item): number {
  return new TextEncoder().encode(contentJson(item)).length + bytesAroundContent;
}

/** Returns an item after a change, with its content. */
export function changedItem(status: ItemStatus, content: ItemContent): ItemChange {
  return new ChangedItem(status, contentJson(content));
}

/** Returns a stored item with its content. */
export function wholeItem(item: CurrentItem): Item {
  return new WholeItem(item, contentJson(item.content()), item.sequence);
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
export function versionConflict(item: Omit<StoredItem, "content" | "earlier">, baseVersion: number) {
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
  if ("sequence" in item) return { ok: true, item };
  if (sequence === undefined) throw new TypeError("the storage assigned no sequence to a change");
  return { ok: true, item: new WholeItem(item, contentJson(item), sequence) };
}
