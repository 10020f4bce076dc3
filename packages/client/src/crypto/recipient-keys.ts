import type { WebCryptoKey, WebCryptoKeyPair } from "./web-crypto.js";
/** The algorithms that item keys are wrapped with. */
export type WrapAlgorithm = "ECDH-ES+A256KW" | "RSA-OAEP-256";

/** Which keys to make. */
export interface RecipientKeysOptions {
  /** Default: ECDH-ES+A256KW (P-256). RSA-OAEP-256 makes a key of 3072 bits. */
  readonly wrapAlg?: WrapAlgorithm;
  /** Whether the private key can be exported, for a backup. Default: false. */
  readonly extractable?: boolean;
}

/**
 * Makes the pair of keys of a recipient. IndexedDB keeps it as it is (by structured clone).
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
    return crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, extractable, ["deriveBits"]);
  const size = { modulusLength: 3072, publicExponent: new Uint8Array([1, 0, 1]) };
  const algorithm = { name: "RSA-OAEP", hash: "SHA-256", ...size };
  return crypto.subtle.generateKey(algorithm, extractable, ["wrapKey", "unwrapKey"]);
}

/**
 * The algorithm that a key is for: it follows from the key alone, never from what a wrapped key says.
 *
 * @throws TypeError when it is none of those that are known: P-256 for ECDH, or RSA-OAEP with SHA-256 of 2048 bits or more.
 */
export function wrapAlgorithmOf({ algorithm, type }: WebCryptoKey, half: "public" | "private"): WrapAlgorithm {
  const { name, namedCurve, hash, modulusLength }: KeyParameters = algorithm;
  if (type === half && name === "ECDH" && namedCurve === "P-256") return "ECDH-ES+A256KW";
  const strong = modulusLength !== undefined && modulusLength >= 2048 && hash?.name === "SHA-256";
  if (type === half && name === "RSA-OAEP" && strong) return "RSA-OAEP-256";
  throw new TypeError(`A ${half} key of a recipient is for ECDH with P-256 or for RSA-OAEP with SHA-256`);
}

interface KeyParameters {
  readonly name: string;
  readonly namedCurve?: string;
  readonly hash?: { readonly name: string };
  readonly modulusLength?: number;
}
