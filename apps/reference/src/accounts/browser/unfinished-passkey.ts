const storedAs = "accounts: a passkey that the server has not stored";

/** Remembers a passkey that was created, until the server has stored it: also if the page is reloaded. */
export function keepUnfinishedPasskey(id: string): void {
  sessionStorage.setItem(storedAs, id);
}

/** Stops remembering it: the server has stored it. */
export function passkeyIsStored(): void {
  sessionStorage.removeItem(storedAs);
}

/**
 * Asks the browser to remove the passkey that the server has not stored, if there is one. Otherwise the device would offer it at each
 * sign-in, and it would sign in nowhere. Does nothing in a browser that cannot.
 *
 * @param stored the ids of the passkeys that the server has: the page may have been reloaded before it knew that
 * @see https://www.w3.org/TR/webauthn-3/#sctn-signalUnknownCredential
 */
export async function forgetUnfinishedPasskey(stored: readonly (string | null)[] = []): Promise<void> {
  const credentialId = sessionStorage.getItem(storedAs);
  if (credentialId === null) return;
  passkeyIsStored();
  if (stored.includes(credentialId)) return;
  if (!("PublicKeyCredential" in globalThis) || !("signalUnknownCredential" in PublicKeyCredential)) return;
  await PublicKeyCredential.signalUnknownCredential({ rpId: location.hostname, credentialId }).catch(() => {});
}
