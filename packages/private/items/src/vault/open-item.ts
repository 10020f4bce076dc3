import {
  type EncryptedPayload,
  type KeyHolder,
  openItem as openSealed,
  type TrustedWriter,
  unwrapItemKey,
  type WrappedKey,
} from "@platform-rpc/client/crypto";
import { encodeBase64url } from "../base64url.js";
import { type ItemContent, readContent } from "../item-content.js";
import type { Revision } from "./memory.js";
import { openKeyOf, type VaultKeyReader } from "./vault-key.js";

/** What of an item is needed to open it. */
export interface SealedItem {
  readonly itemId: string;
  readonly version: number;
  readonly kind: string;
  readonly titleHash: string;
  readonly encryptedPayload?: EncryptedPayload | undefined;
  readonly wrappedKeys: readonly WrappedKey[];
}

/** What opens the items of the vault that was requested: a server can misreport the vault of an item. */
export interface ItemReader extends VaultKeyReader {
  readonly tenantId: string;
  /** The person, for whom the keys of items are wrapped in a vault without a key. Undefined for a program, and while it is locked. */
  readonly recipient?: KeyHolder | undefined;
  /** Whose items are verified. Undefined in a vault without a key, where items have no signatures. */
  readonly writers: readonly TrustedWriter[] | undefined;
}

export interface OpenedItem {
  readonly content: ItemContent;
  /** The text that was sealed. */
  readonly text: string;
  /** What was sealed. Deleting and restoring raise the version of an item, and seal nothing. */
  readonly revision: Revision;
  /** Whether one of the writers has signed it. */
  readonly isVerified: boolean;
  readonly closed?: never;
}

/** Why an item cannot be opened. `altered` also says that it was sealed for another place or key. */
export type ClosedReason = "shredded" | "locked" | "key not shared" | "not shared" | "altered" | "unknown form";

/** Opens an item. It never rejects. An item that none of the writers has signed is opened, and not verified. */
export async function openItem(
  item: SealedItem,
  reader: ItemReader,
): Promise<OpenedItem | { readonly closed: ClosedReason }> {
  const { itemId, version, kind, titleHash, encryptedPayload, wrappedKeys } = item;
  const { tenantId, vaultId, key, wrappingKey, recipient, writers } = reader;
  if (encryptedPayload === undefined || encryptedPayload.ciphertext === "") return { closed: "shredded" };
  if (wrappingKey === undefined && recipient === undefined) return { closed: "locked" };
  const forVault = wrappedKeys.find(({ recipientId }) => recipientId === key?.keyId);
  const wrapped = forVault ?? wrappedKeys.find(({ recipientId }) => recipientId === recipient?.recipientId);
  if (key?.wrappedKey === "" && wrapped === forVault) return { closed: "key not shared" };
  if (wrapped === undefined) return { closed: "not shared" };
  if (forVault !== undefined && wrappingKey === undefined) return { closed: "locked" };
  try {
    const { recipientId } = wrapped;
    const holder = forVault === undefined ? recipient : { recipientId, vaultKey: await openKeyOf(reader) };
    if (holder === undefined) return { closed: "not shared" };
    const itemKey = await unwrapItemKey(wrapped, holder);
    const sealed = { place: { tenantId, vaultId, itemId, version }, kind, titleHash, encryptedPayload, itemKey };
    const opened = await openSealed({ ...sealed, writers }).catch((error) =>
      writers ? openSealed(sealed) : Promise.reject(error),
    );
    const text = new TextDecoder("utf-8", { fatal: true }).decode(opened.plaintext);
    const content = readContent(text);
    if (content === undefined) return { closed: "unknown form" };
    const sealedBytes = new TextEncoder().encode(encryptedPayload.ciphertext);
    const hash = encodeBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", sealedBytes)));
    const revision = { version: opened.version, hash, replaces: replacedBy(content, opened.version) };
    return { content, text, revision, isVerified: opened.writerId !== undefined };
  } catch {
    return { closed: "altered" };
  }
}

/** Returns the content that one replaces. A program that does not know this member copies it from the version before: there, it says nothing. */
function replacedBy({ others: { replaces } = {} }: ItemContent, sealedVersion: number): Revision["replaces"] {
  const { version, hash, by }: Readonly<Record<string, unknown>> = Object(replaces);
  return by === sealedVersion && typeof version === "number" && typeof hash === "string"
    ? { version, hash }
    : undefined;
}
