import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { wrapUserKeys } from "../keys/wrap-user-keys.js";
import { ApiError } from "./api.js";
import { createPasskey } from "./passkeys.js";
import { forgetUnfinishedPasskey, keepUnfinishedPasskey, passkeyIsStored } from "./unfinished-passkey.js";

/** A passkey to be created for an account. */
export interface NewPasskey {
  readonly accountId: string;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly name: string;
  /** The serialized keys that it unlocks. */
  readonly keys: Uint8Array<ArrayBuffer>;
}

/** A passkey as the server stores it. */
export type MadePasskey = Awaited<ReturnType<typeof newPasskeyFor>>;

/** Creates a passkey, and wraps the keys for it, for the server. A passkey without the PRF extension gets none. */
export async function newPasskeyFor({ accountId, options, name, keys }: NewPasskey) {
  const { response, secret } = await createPasskey(options, keepUnfinishedPasskey);
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
    passkeyIsStored();
    return stored;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.isFinal) await forgetUnfinishedPasskey();
    throw thrown;
  }
}
