import { may, ofType, requireOptions } from "@platform-rpc/options";
import { identifierRule, isIdentifier } from "./item-fields.js";
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
 *
 * @throws TypeError (as a rejection) that names each invalid option and what is expected.
 */
export async function createRecipientKeys(options: RecipientKeysOptions = {}): Promise<WebCryptoKeyPair> {
  requireOptions("createRecipientKeys", options, {
    wrapAlg: may(
      "be ECDH-ES+A256KW or RSA-OAEP-256",
      (value) => value === "ECDH-ES+A256KW" || value === "RSA-OAEP-256",
    ),
    extractable: ofType("boolean"),
  });
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

/** The signer of an item. */
export interface Writer {
  readonly writerId: string;
  /** An Ed25519 key with the usage sign. */
  readonly privateKey: WebCryptoKey;
}

/** A writer whose items you accept. Verify that the key belongs to the writer: a server could substitute another. */
export interface TrustedWriter {
  readonly writerId: string;
  /** An Ed25519 key with the usage verify. */
  readonly publicKey: WebCryptoKey;
}

/** Options of `createWriterKeys`. */
export interface WriterKeysOptions {
  /** Whether the private key can be exported, for a backup. Default: false. */
  readonly extractable?: boolean;
}

/**
 * Creates a writer's Ed25519 key pair. You can store it in IndexedDB directly (by structured clone).
 *
 * @example
 * ```ts
 * import { createWriterKeys } from "@platform-rpc/client/crypto";
 *
 * const { publicKey, privateKey } = await createWriterKeys();
 * console.log(publicKey.algorithm.name, privateKey.extractable);
 * // Ed25519 false
 * ```
 *
 * @throws TypeError (as a rejection) that names each invalid option and what is expected.
 * @throws DOMException NotSupportedError (as a rejection) when the runtime's WebCrypto lacks Ed25519.
 * @see RFC 8032
 */
export async function createWriterKeys(options: WriterKeysOptions = {}): Promise<WebCryptoKeyPair> {
  requireOptions("createWriterKeys", options, { extractable: ofType("boolean") });
  const { extractable = false } = options;
  const keyPair = await subtle().generateKey({ name: "Ed25519" }, extractable, ["sign", "verify"]).catch(explain);
  if (!("privateKey" in keyPair)) throw new TypeError("createWriterKeys failed: WebCrypto returned no key pair.");
  return keyPair;
}

function explain(thrown: unknown): never {
  if (!(thrown instanceof Error) || thrown.name !== "NotSupportedError") throw thrown;
  const runtimes = "Use Node 20, Chrome 137, Firefox 129 or Safari 17, or newer.";
  throw new DOMException(
    `createWriterKeys failed: the WebCrypto of this runtime lacks Ed25519, the signature algorithm of writers. ${runtimes}`,
    thrown.name,
  );
}

/** Checks a writer. @throws TypeError when the id is invalid, or the key is not an Ed25519 key with this usage. */
export function checkWriter(writerId: string, key: WebCryptoKey, usage: "sign" | "verify"): void {
  if (!isIdentifier(writerId)) throw new TypeError(`Invalid writerId: must be ${identifierRule}.`);
  if (key?.algorithm?.name !== "Ed25519" || !key.usages.includes(usage))
    throw new TypeError(
      `Invalid key of a writer: must be Ed25519 with the usage "${usage}". Create one with createWriterKeys.`,
    );
}
