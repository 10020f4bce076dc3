import { subtle, type WebCryptoKey, type WebCryptoKeyPair } from "./web-crypto.js";
/** An algorithm that wraps item keys. */
export type WrapAlgorithm = "ECDH-ES+A256KW" | "RSA-OAEP-256";

/** Options of `createRecipientKeys`. */
export interface RecipientKeysOptions {
  /** Default: ECDH-ES+A256KW (P-256). RSA-OAEP-256 creates a 3072-bit key. */
  readonly wrapAlg?: WrapAlgorithm;
  /** Whether the private key can be exported, for a backup. Default: false. */
  readonly extractable?: boolean;
}

/**
 * Creates a recipient's key pair. You can store it in IndexedDB directly (by structured clone).
 *
 * @example
 * ```ts
 * import { createRecipientKeys } from "@platform-rpc/client/crypto";
 *
 * const { publicKey, privateKey } = await createRecipientKeys();
 * console.log(publicKey.algorithm.name, privateKey.extractable);
 * // ECDH false
 * ```
 */
export async function createRecipientKeys(options: RecipientKeysOptions = {}): Promise<WebCryptoKeyPair> {
  const { wrapAlg = "ECDH-ES+A256KW", extractable = false } = options;
  if (wrapAlg === "ECDH-ES+A256KW")
    return subtle().generateKey({ name: "ECDH", namedCurve: "P-256" }, extractable, ["deriveBits"]);
  const size = { modulusLength: 3072, publicExponent: new Uint8Array([1, 0, 1]) };
  const algorithm = { name: "RSA-OAEP", hash: "SHA-256", ...size };
  return subtle().generateKey(algorithm, extractable, ["wrapKey", "unwrapKey"]);
}

/**
 * Returns the wrap algorithm of a key. It depends on the key alone, never on the `wrapAlg` of a wrapped key.
 *
 * @throws TypeError when the key is neither ECDH with P-256 nor RSA-OAEP with SHA-256 and at least 2048 bits.
 */
export function wrapAlgorithmOf(key: WebCryptoKey, half: "public" | "private"): WrapAlgorithm {
  // A program without TypeScript may pass a JWK, or nothing.
  const { name, namedCurve, hash, modulusLength }: KeyParameters = key?.algorithm ?? {};
  const matches = key?.type === half;
  if (matches && name === "ECDH" && namedCurve === "P-256") return "ECDH-ES+A256KW";
  const strong = modulusLength !== undefined && modulusLength >= 2048 && hash?.name === "SHA-256";
  if (matches && name === "RSA-OAEP" && strong) return "RSA-OAEP-256";
  throw new TypeError(
    `Invalid ${half} key of a recipient: must be ECDH with P-256, or RSA-OAEP with SHA-256 and at least 2048 bits. Create one with createRecipientKeys.`,
  );
}

interface KeyParameters {
  readonly name?: string;
  readonly namedCurve?: string;
  readonly hash?: { readonly name: string };
  readonly modulusLength?: number;
}
