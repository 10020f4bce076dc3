import {
  type EncryptedPayload,
  type ItemPlace,
  type KeyHolder,
  OpenFailure,
  openItem,
  type Recipient,
  sealItem,
  unwrapItemKey,
  type WrappedKey,
} from "@platform/client/crypto";

/** What to store as the item's `encryptedPayload` and `wrappedKeys`. */
export function seal(place: ItemPlace, login: { username: string; password: string }, recipients: Recipient[]) {
  const plaintext = new TextEncoder().encode(JSON.stringify(login));
  return sealItem({ place, plaintext, recipients });
}

/** The item's content, or undefined when it is not for this reader, or not what was sealed. */
export async function open(
  place: ItemPlace,
  item: { encryptedPayload: EncryptedPayload; wrappedKeys: readonly WrappedKey[] },
  reader: KeyHolder,
): Promise<string | undefined> {
  const mine = item.wrappedKeys.find(({ recipientId }) => recipientId === reader.recipientId);
  if (mine === undefined) return undefined;
  try {
    const itemKey = await unwrapItemKey(mine, reader);
    const { plaintext } = await openItem({ place, encryptedPayload: item.encryptedPayload, itemKey });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    if (error instanceof OpenFailure) return undefined;
    throw error;
  }
}
