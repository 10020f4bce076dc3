import type { MemberKeys } from "@platform-rpc/accounts/keys/user-keys";
import type { TrustedWriter } from "@platform-rpc/client/crypto";
import type { ItemContent } from "@platform-rpc/items/item-content";
import type { Finding, Revision } from "@platform-rpc/items/vault/memory";
import { type ClosedReason, type ItemReader, openItem, type SealedItem } from "@platform-rpc/items/vault/open-item";

export type Content = OpenContent | ClosedContent;

interface ClosedContent {
  readonly closed: string;
  readonly title?: never;
  readonly fields?: never;
  readonly revision?: never;
  readonly finding?: Finding | undefined;
  readonly isUnverified?: never;
  readonly tags?: never;
  readonly favourite?: never;
  readonly text?: never;
}

export interface OpenContent extends ItemContent {
  readonly revision: Revision;
  /** How it contradicts what this browser has seen. */
  readonly finding?: Finding | undefined;
  /** Set if the vault has a key, and the item is signed neither by the person nor by a program that they have certified. */
  readonly isUnverified?: true;
  /** The text that was sealed, if the reader keeps it. */
  readonly text?: string;
  readonly closed?: never;
}

/** Who opens the items of a vault, and with what. Everything in it can be sent to a worker. */
export interface VaultReader extends Pick<ItemReader, "tenantId" | "vaultId" | "key"> {
  /** The person, for whom the keys of items are wrapped in a vault without a key. */
  readonly principalId: string;
  readonly decryptionKey: CryptoKey;
  readonly member: MemberKeys;
  /** Whether an item that the person has not signed is marked: in a vault with a key. */
  readonly verifies: boolean;
  /** Whether a content has its text, too: for an export, which loses nothing. Default: false. */
  readonly keepsText?: boolean;
  /** The programs whose signatures count as those of the person, who has certified them. */
  readonly programs: readonly TrustedWriter[];
}

const words: Readonly<Record<ClosedReason, string>> = {
  shredded: "The content was deleted for ever, as the server says.",
  locked: "Your keys are locked in this browser. Unlock them with your passkey or your recovery code.",
  "key not shared": "Nobody has shared the key of this vault with you yet. Ask its owner.",
  "not shared": "The item was not shared with you: its key is not wrapped for you.",
  altered:
    "The content cannot be decrypted: it was altered, or sealed for another place or key. Restore it from a backup of your own.",
  "unknown form": "The content has a form that your vault does not know. Use the program that wrote it.",
};

export async function openContent(item: SealedItem, reader: VaultReader): Promise<Content> {
  const { tenantId, vaultId, key, principalId, decryptionKey, member, verifies, programs, keepsText } = reader;
  const opened = await openItem(item, {
    ...{ tenantId, vaultId, key, boundTo: principalId, wrappingKey: member.wrappingKey },
    recipient: { recipientId: principalId, privateKey: decryptionKey },
    writers: verifies ? [{ writerId: principalId, publicKey: member.verificationKey }, ...programs] : undefined,
  });
  if (opened.closed !== undefined) return { closed: words[opened.closed] };
  const { content, text, revision, isVerified } = opened;
  const unverified = verifies && !isVerified;
  return { ...content, revision, ...(keepsText && { text }), ...(unverified && { isUnverified: true }) };
}

/** Returns what an open item contains, to be written again. */
export function writtenIn({
  revision: _,
  finding: __,
  isUnverified: ___,
  text: ____,
  ...content
}: OpenContent): ItemContent {
  return content;
}
