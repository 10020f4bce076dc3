import { may, requireOptions } from "@platform-rpc/options";
import { subtle, type WebCryptoKeyPair } from "../crypto/web-crypto.js";
import { type PublicJwk, publicJwkOf, thumbprint } from "./jwk.js";
import { type ProofAlgorithm, type ProofRequest, signProof } from "./proof.js";

/** Options of `createProofKey`. */
export interface ProofKeyOptions {
  /** Default: ES256 (P-256), which every WebCrypto supports. Ed25519 needs a runtime that supports it. */
  readonly alg?: ProofAlgorithm;
}

/** A key that proves that the sender of a broker token is the party it was issued to. */
export interface ProofKey {
  readonly alg: ProofAlgorithm;
  /**
   * The pair to store. Its private key cannot be exported, but IndexedDB stores the pair directly (by structured clone). Pass it to
   * `restoreProofKey` to use it again.
   */
  readonly keyPair: WebCryptoKeyPair;
  /** The public key for starting a device authorization: pass its JSON text as `popPublicJwk`. */
  readonly publicJwk: PublicJwk;
  /** The RFC 7638 thumbprint: the `popKeyId` of the broker tokens bound to this key. */
  readonly thumbprint: string;
  /**
   * Creates a proof for one request, issued now. Create a new proof for every request, including retries.
   *
   * @throws TypeError (as a rejection) when `htm` is not a method in capitals, `htu` not an absolute http or https URL, or
   * `accessToken` not the text of a token.
   * @see RFC 9449 section 4.2
   */
  createProof(request: ProofRequest): Promise<string>;
}

const generation = { ES256: { name: "ECDSA", namedCurve: "P-256" }, Ed25519: { name: "Ed25519" } };

/**
 * Creates a proof key. Its private key cannot be exported from WebCrypto.
 *
 * @example
 * ```ts
 * import { createProofKey } from "@platform-rpc/client/pop";
 *
 * const key = await createProofKey();
 * const proof = await key.createProof({ htm: "POST", htu: "https://broker.example.com/run", accessToken });
 * const request = new Request("https://broker.example.com/run", {
 *   method: "POST",
 *   headers: { Authorization: `DPoP ${accessToken}`, DPoP: proof },
 * });
 * console.log(key.alg, request.headers.get("DPoP")?.split(".").length);
 * // ES256 3
 * ```
 *
 * @throws TypeError (as a rejection) that names each invalid option and what is expected.
 * @throws DOMException NotSupportedError (as a rejection) when the runtime lacks the algorithm.
 */
export async function createProofKey(options: ProofKeyOptions = {}): Promise<ProofKey> {
  requireOptions("createProofKey", options, {
    alg: may("be ES256 or Ed25519", (value) => typeof value === "string" && Object.hasOwn(generation, value)),
  });
  const { alg = "ES256" } = options;
  const keyPair = await subtle().generateKey(generation[alg], false, ["sign", "verify"]);
  if (!("privateKey" in keyPair)) throw new TypeError("createProofKey failed: WebCrypto returned no key pair.");
  return restoreProofKey(keyPair);
}

/**
 * Restores a proof key from a stored pair.
 *
 * @example
 * ```ts
 * import { createProofKey, restoreProofKey } from "@platform-rpc/client/pop";
 *
 * const made = await createProofKey();
 * const kept = structuredClone(made.keyPair); // as IndexedDB does
 * const restored = await restoreProofKey(kept);
 * console.log(restored.thumbprint === made.thumbprint);
 * // true
 * ```
 *
 * @throws TypeError (as a rejection) when the pair is neither P-256 nor Ed25519, or its private key is extractable, because such
 * a key may have been copied.
 */
export async function restoreProofKey(keyPair: WebCryptoKeyPair): Promise<ProofKey> {
  const { privateKey, publicKey }: Partial<WebCryptoKeyPair> = Object(keyPair);
  if (!privateKey || !publicKey)
    throw new TypeError(
      "restoreProofKey: keyPair must have a privateKey and a publicKey. Create one with createProofKey.",
    );
  if (privateKey.extractable)
    throw new TypeError(
      "Invalid proof key: the private key must not be extractable, because it may have been copied. Create one with createProofKey.",
    );
  const publicJwk = await publicJwkOf(keyPair);
  const alg = publicJwk.kty === "EC" ? "ES256" : "Ed25519";
  const signer = { alg, publicJwk, privateKey } as const;
  return {
    alg,
    keyPair,
    publicJwk,
    thumbprint: await thumbprint(publicJwk),
    createProof: (request) =>
      signProof(signer, request, { jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1000) }),
  };
}
