/** The ciphertexts that this page has sent: the person has accepted what they replace. Two of them are never equal. */
const sent = new Set<string>();

/** Remembers what is sent until the page is left. Call it before: the feed may bring the item before the answer. */
export function addOwnWrite({ ciphertext }: { readonly ciphertext: string }): void {
  sent.add(ciphertext);
}

export function isOwnWrite({
  encryptedPayload,
}: {
  readonly encryptedPayload?: { readonly ciphertext: string } | undefined;
}): boolean {
  return encryptedPayload !== undefined && sent.has(encryptedPayload.ciphertext);
}
