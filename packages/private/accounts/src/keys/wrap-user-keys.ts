import { decodeBase64url, encodeBase64url } from "@platform-rpc/items/base64url";
import { deriveBytes } from "./derive-bytes.js";

/**
 * The private keys of a person as the server stores them: AES-256-GCM with a key that the server never sees. All bytes are base64url
 * without padding.
 */
export interface WrappedUserKeys {
  readonly version: 1;
  /** 16 random bytes for HKDF. */
  readonly salt: string;
  /** 12 random bytes. */
  readonly nonce: string;
  readonly ciphertext: string;
}

/** What wrapped keys are bound to. Keys of another account, or for another way to sign in, cannot be unwrapped in their place. */
export interface WrappingPlace {
  readonly accountId: string;
  /** Which secret unwraps: the PRF output of a passkey, or the wrapping secret of a recovery code. */
  readonly purpose: "passkey" | "recovery code";
}

/** Thrown when keys cannot be unwrapped. The exact cause is not reported, for security. */
export class UnwrapError extends Error {
  override readonly name = "UnwrapError";

  constructor() {
    super("Cannot unwrap the keys: wrong secret or account, or altered data.");
  }
}

const { subtle } = crypto;
const version = 1;

/** Wraps serialized keys with a key derived from a secret of at least 128 random bits. */
export async function wrapUserKeys(
  keys: Uint8Array<ArrayBuffer>,
  secret: Uint8Array<ArrayBuffer>,
  place: WrappingPlace,
): Promise<WrappedUserKeys> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await wrappingKey(secret, salt, place, "encrypt");
  const ciphertext = await subtle.encrypt({ name: "AES-GCM", iv, additionalData: associatedData(place) }, key, keys);
  return {
    version,
    salt: encodeBase64url(salt),
    nonce: encodeBase64url(iv),
    ciphertext: encodeBase64url(new Uint8Array(ciphertext)),
  };
}

/** Unwraps keys. @throws UnwrapError (as a rejection) when the secret or the place is another one, or the data was altered. */
export async function unwrapUserKeys(
  wrapped: WrappedUserKeys,
  secret: Uint8Array<ArrayBuffer>,
  place: WrappingPlace,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    if (wrapped.version !== version) throw new UnwrapError();
    const [salt, iv, ciphertext] = [wrapped.salt, wrapped.nonce, wrapped.ciphertext].map(decodeBase64url);
    if (salt === undefined || iv === undefined || ciphertext === undefined) throw new UnwrapError();
    const key = await wrappingKey(secret, salt, place, "decrypt");
    const algorithm = { name: "AES-GCM", iv, additionalData: associatedData(place) };
    return new Uint8Array(await subtle.decrypt(algorithm, key, ciphertext));
  } catch {
    throw new UnwrapError();
  }
}

async function wrappingKey(
  secret: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  { purpose }: WrappingPlace,
  usage: "encrypt" | "decrypt",
): Promise<CryptoKey> {
  const info = `platform accounts ${version}: wrap user keys, ${purpose}`;
  return subtle.importKey("raw", await deriveBytes({ secret, salt, info, length: 32 }), "AES-GCM", false, [usage]);
}

function associatedData({ accountId, purpose }: WrappingPlace): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(["platform accounts: user keys", version, accountId, purpose]));
}
