/** A text that is kept in this browser, encrypted. */
export interface SealedText {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly ciphertext: ArrayBuffer;
}

/** What a text is, and whose: it cannot be taken for another one that is encrypted with the same key. */
type Label = readonly (string | number)[];

/** Encrypts a text. @param key the person's key for what they have typed and not saved: `MemberKeys.draftsKey` */
export async function sealText(key: CryptoKey, label: Label, text: string): Promise<SealedText> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const ciphertext = await crypto.subtle.encrypt(parameters(label, iv), key, new TextEncoder().encode(text));
  return { iv, ciphertext };
}

/** Decrypts a text. Resolves with undefined if it was encrypted with another key or label, or altered. */
export async function openText(key: CryptoKey, label: Label, sealed: SealedText): Promise<string | undefined> {
  const opening = crypto.subtle.decrypt(parameters(label, sealed.iv), key, sealed.ciphertext);
  const opened = await opening.catch(() => undefined);
  return opened && new TextDecoder().decode(opened);
}

function parameters(label: Label, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify(label)) };
}
