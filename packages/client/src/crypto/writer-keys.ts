import { isIdentifier } from "./item-place.js";
import type { WebCryptoKey, WebCryptoKeyPair } from "./web-crypto.js";

/** Who signs an item. */
export interface Writer {
  readonly writerId: string;
  /** For Ed25519, with the usage sign. */
  readonly privateKey: WebCryptoKey;
}

/** A writer whose items you accept. That the key is this writer's is for you to know: the server could give you another. */
export interface TrustedWriter {
  readonly writerId: string;
  /** For Ed25519, with the usage verify. */
  readonly publicKey: WebCryptoKey;
}

/** Which keys to make. */
export interface WriterKeysOptions {
  /** Whether the private key can be exported, for a backup. Default: false. */
  readonly extractable?: boolean;
}

/**
 * Makes the pair of keys of a writer, for Ed25519. IndexedDB keeps it as it is (by structured clone).
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
  const made = await crypto.subtle.generateKey({ name: "Ed25519" }, extractable, ["sign", "verify"]).catch(explain);
  if (!("privateKey" in made)) throw new TypeError("The keys of a writer are a key pair");
  return made;
}

function explain(thrown: unknown): never {
  if (!(thrown instanceof Error) || thrown.name !== "NotSupportedError") throw thrown;
  const runtimes = "Use Node 20, Chrome 137, Firefox 129 or Safari 17, or newer";
  throw new DOMException(
    `The WebCrypto of this runtime lacks Ed25519, which writers sign with. ${runtimes}`,
    thrown.name,
  );
}

/** @throws TypeError when the id is none, or the key is none for Ed25519 with this usage. */
export function checkWriter(writerId: string, key: WebCryptoKey, usage: "sign" | "verify"): void {
  if (!isIdentifier(writerId)) throw new TypeError("writerId must be an identifier of the platform");
  if (key.algorithm.name !== "Ed25519" || !key.usages.includes(usage))
    throw new TypeError(`A writer's key is for Ed25519, with the usage ${usage}`);
}
