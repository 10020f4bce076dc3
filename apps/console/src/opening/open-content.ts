import { openKeyOf, type VaultKeyReader } from "@platform-rpc/accounts/keys/vault-keys";
import { openItem, type TrustedWriter, unwrapItemKey } from "@platform-rpc/client/crypto";
import { type ItemContent, readContent } from "@platform-rpc/items/item-content";
import type { Item } from "@platform-rpc/types";

/** The content of an item: open, or why it cannot be opened. */
export type Content = OpenContent | ClosedContent;

interface ClosedContent {
  readonly closed: string;
  readonly title?: never;
  readonly fields?: never;
  readonly sealedVersion?: never;
  readonly olderThan?: never;
  readonly isUnverified?: never;
  readonly tags?: never;
  readonly favourite?: never;
  readonly text?: never;
}

/** What the item contains, and what was found out about it. */
export interface OpenContent extends ItemContent {
  /** The version of the item that was sealed. Deleting and restoring raise the version, and seal nothing. */
  readonly sealedVersion: number;
  /** The newer version that this browser has opened before. Undefined unless the server answered with an older one. */
  readonly olderThan?: number | undefined;
  /** Set if the vault has a key, and the item is signed neither by the person nor by a program that they have certified. */
  readonly isUnverified?: true;
  /** The text that was sealed, if the reader keeps it. */
  readonly text?: string;
  readonly closed?: never;
}

/** What of an item is needed to open it. */
export type SealedItem = Pick<Item, "itemId" | "version" | "kind" | "titleHash" | "encryptedPayload" | "wrappedKeys">;

/** Who opens the items of a vault, and with what. Everything in it can be sent to a worker. */
export interface VaultReader extends VaultKeyReader {
  readonly tenantId: string;
  /** The vault that was requested. A server can misreport it. */
  readonly vaultId: string;
  /** The person, for whom the keys of items are wrapped in a vault without a key. */
  readonly principalId: string;
  /** Undefined if the keys are locked in this browser. */
  readonly decryptionKey: CryptoKey | undefined;
  /** Whether an item that the person has not signed is marked: in a vault with a key. */
  readonly verifies: boolean;
  /** Whether a content has its text, too: for an export, which loses nothing. Default: false. */
  readonly keepsText?: boolean;
  /** The programs whose signatures count as those of the person, who has certified them. */
  readonly programs: readonly TrustedWriter[];
}

const altered =
  "The content cannot be decrypted: it was altered, or sealed for another place or key. Restore it from a backup of your own.";
const notShared = "The item was not shared with you: its key is not wrapped for you.";
const keyNotShared = "Nobody has shared the key of this vault with you yet. Ask its owner.";

export async function openContent(item: SealedItem, reader: VaultReader): Promise<Content> {
  const { itemId, version, kind, titleHash, encryptedPayload, wrappedKeys } = item;
  const { tenantId, vaultId, principalId, decryptionKey, member, key, verifies, programs } = reader;
  if (encryptedPayload === undefined || encryptedPayload.ciphertext === "") {
    return { closed: "The content was deleted for ever when the retention of the vault ended." };
  }
  if (decryptionKey === undefined) {
    return { closed: "Your keys are locked in this browser. Unlock them with your passkey or your recovery code." };
  }
  const forVault = wrappedKeys.find(({ recipientId }) => recipientId === key?.keyId);
  const wrapped = forVault ?? wrappedKeys.find(({ recipientId }) => recipientId === principalId);
  if (wrapped === undefined) return { closed: key?.wrappedKey === "" ? keyNotShared : notShared };
  if (forVault !== undefined && key?.wrappedKey === "") return { closed: keyNotShared };
  try {
    const { recipientId } = wrapped;
    const holder = forVault
      ? { recipientId, vaultKey: await openKeyOf(reader) }
      : { recipientId, privateKey: decryptionKey };
    const itemKey = await unwrapItemKey(wrapped, holder);
    const sealed = { place: { tenantId, vaultId, itemId, version }, kind, titleHash, encryptedPayload, itemKey };
    const writers =
      verifies && member ? [{ writerId: principalId, publicKey: member.verificationKey }, ...programs] : undefined;
    // An item that the person has not signed is opened, and marked.
    const opened = await openItem({ ...sealed, writers }).catch((error) =>
      writers ? openItem(sealed) : Promise.reject(error),
    );
    const text = new TextDecoder("utf-8", { fatal: true }).decode(opened.plaintext);
    const read = contentOf(text, opened.version);
    const content = reader.keepsText && read.closed === undefined ? { ...read, text } : read;
    const unverified = verifies && opened.writerId === undefined && content.closed === undefined;
    return unverified ? { ...content, isUnverified: true } : content;
  } catch {
    return { closed: altered };
  }
}

/** Reads the text of a content. */
export function contentOf(text: string, sealedVersion: number): Content {
  const content = readContent(text);
  if (content === undefined) {
    return { closed: "The content has a form that your vault does not know. Use the program that wrote it." };
  }
  return { ...content, sealedVersion };
}

/** Returns what an open item contains, to be written again. */
export function writtenIn({
  sealedVersion: _,
  olderThan: __,
  isUnverified: ___,
  text: ____,
  ...content
}: OpenContent): ItemContent {
  return content;
}
