import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { wrapUserKeys } from "../keys/wrap-user-keys.js";
import { ApiError, callApi } from "./api.js";
import { createPasskey } from "./passkeys.js";

interface NewPasskey {
  readonly accountId: string;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly name: string;
  /** The serialized keys that it unlocks. */
  readonly keys: Uint8Array<ArrayBuffer>;
}

/** A passkey as the server stores it. */
export type MadePasskey = Awaited<ReturnType<typeof newPasskeyFor>>;

/**
 * Adds a passkey to the account of the signed-in person. If the server does not store it because it is not available, the next try sends it
 * again: no passkey is created twice.
 */
export function createPasskeyAdder(accountId: string) {
  let made: MadePasskey | undefined;
  return {
    /** Whether there is a passkey to send again. That needs no keys. */
    isMade: () => made !== undefined,
    async add(name: string, keys?: Uint8Array<ArrayBuffer>): Promise<void> {
      if (made === undefined && keys !== undefined) {
        const begun = await callApi<{ readonly passkey: PublicKeyCredentialCreationOptionsJSON }>("passkeys/begin", {});
        made = await newPasskeyFor({ accountId, options: begun.passkey, name, keys });
      }
      try {
        await sendPasskey(() => callApi("passkeys/finish", { ...made, name }));
      } catch (thrown) {
        if (thrown instanceof ApiError && thrown.isFinal) made = undefined;
        throw thrown;
      }
    },
  };
}

/** Creates a passkey, and wraps the keys for it, for the server. A passkey without the PRF extension gets none. */
export async function newPasskeyFor({ accountId, options, name, keys }: NewPasskey) {
  const { response, secret } = await createPasskey(options, (id) => sessionStorage.setItem(storedAs, id));
  const wrappedKeys = secret && (await wrapUserKeys(keys, secret, { accountId, purpose: "passkey" }));
  return { response, name, wrappedKeys };
}

/**
 * Sends a new passkey to the server. If the server rejects it, it is removed from the person's device: it would sign in nowhere. If the
 * server is not available, the same passkey can be sent again.
 */
export async function sendPasskey<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    const stored = await send();
    sessionStorage.removeItem(storedAs);
    return stored;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.isFinal) await forgetUnfinishedPasskey();
    throw thrown;
  }
}

/** Remembers the id of a passkey that was created, until the server has stored it: also if the page is reloaded. */
const storedAs = "accounts: a passkey that the server has not stored";

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
  sessionStorage.removeItem(storedAs);
  if (stored.includes(credentialId)) return;
  if (!("PublicKeyCredential" in globalThis) || !("signalUnknownCredential" in PublicKeyCredential)) return;
  await PublicKeyCredential.signalUnknownCredential({ rpId: location.hostname, credentialId }).catch(() => {});
}
