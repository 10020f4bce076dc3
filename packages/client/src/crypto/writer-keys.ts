import { identifierRule, isIdentifier } from "./item-place.js";
import { subtle, type WebCryptoKey, type WebCryptoKeyPair } from "./web-crypto.js";

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
 * @throws DOMException NotSupportedError (as a rejection) when the runtime's WebCrypto lacks Ed25519.
 * @see RFC 8032
 */
export async function createWriterKeys({ extractable = false }: WriterKeysOptions = {}): Promise<WebCryptoKeyPair> {
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
