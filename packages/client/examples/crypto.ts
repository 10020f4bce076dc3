import {
  type ItemPlace,
  type KeyHolder,
  OpenError,
  openItem,
  type Recipient,
  type SealedItem,
  sealItem,
  type TrustedWriter,
  titleHash,
  unwrapItemKey,
  type WebCryptoKey,
  type Writer,
} from "@platform-rpc/client/crypto";

/** Seals a login. Returns what to store: its `kind`, `titleHash`, `encryptedPayload` and `wrappedKeys`. */
export async function seal(
  place: ItemPlace,
  login: { title: string; username: string; password: string },
  { titleKey, writer, recipients }: { titleKey: WebCryptoKey; writer: Writer; recipients: Recipient[] },
): Promise<SealedItem> {
  const plaintext = new TextEncoder().encode(JSON.stringify(login));
  const hash = await titleHash(titleKey, login.title);
  return sealItem({ place, kind: "login", titleHash: hash, plaintext, recipients, writer });
}

/** Opens an item. Returns undefined if it is not for this reader, not signed by one of the writers, or was changed. */
export async function open(
  place: ItemPlace,
  item: SealedItem,
  reader: KeyHolder,
  writers: readonly TrustedWriter[],
): Promise<string | undefined> {
  const mine = item.wrappedKeys.find(({ recipientId }) => recipientId === reader.recipientId);
  if (mine === undefined) return undefined;
  const { kind, titleHash, encryptedPayload } = item;
  try {
    const itemKey = await unwrapItemKey(mine, reader);
    const { plaintext } = await openItem({ place, kind, titleHash, encryptedPayload, itemKey, writers });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    if (error instanceof OpenError) return undefined;
    throw error;
  }
}
