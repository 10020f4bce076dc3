import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { wrapUserKeys } from "../keys/wrap-user-keys.js";
import { createPasskey } from "./passkeys.js";

/** A passkey to be created for an account. */
export interface NewPasskey {
  readonly accountId: string;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly name: string;
  /** The serialized keys that it unlocks. */
  readonly keys: Uint8Array<ArrayBuffer>;
}

/** Creates a passkey, and wraps the keys for it, for the server. A passkey without the PRF extension gets none. */
export async function newPasskeyFor({ accountId, options, name, keys }: NewPasskey) {
  const { response, secret } = await createPasskey(options);
  const wrappedKeys = secret && (await wrapUserKeys(keys, secret, { accountId, purpose: "passkey" }));
  return { response, name, wrappedKeys };
}
