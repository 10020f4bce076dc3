import type { WebCryptoKeyPair } from "../crypto/web-crypto.js";
import { type ProofAlgorithm, type ProofRequest, signProof } from "./proof.js";
import { type PublicJwk, publicJwkOf } from "./public-jwk.js";
import { thumbprint } from "./thumbprint.js";

/** Which key to make. */
export interface ProofKeyOptions {
  /** Default: ES256 (P-256), which every WebCrypto has. Ed25519 needs a runtime that supports it. */
  readonly alg?: ProofAlgorithm;
}

/** A key that proves that a broker token is used by whom it was issued to. */
export interface ProofKey {
  readonly alg: ProofAlgorithm;
  /**
   * What to keep: the private key in it cannot be exported, but IndexedDB stores the pair as it is (by structured
   * clone). `restoreProofKey` makes it a proof key again.
   */
  readonly keyPair: WebCryptoKeyPair;
  /** What a device authorization is started with: `popPublicJwk` is its JSON text. */
  readonly publicJwk: PublicJwk;
  /** The RFC 7638 thumbprint: the `popKeyId` of the broker tokens that are bound to this key. */
  readonly thumbprint: string;
  /**
   * A proof for one request, made now: a new one for each request, repeated ones too.
   *
   * @throws TypeError (as a rejection) when `htu` is no absolute http or https URL.
   * @see RFC 9449 section 4.2
   */
  createProof(request: ProofRequest): Promise<string>;
}

const generation = { ES256: { name: "ECDSA", namedCurve: "P-256" }, Ed25519: { name: "Ed25519" } };

/**
 * Makes a key whose private half never leaves the runtime's cryptography.
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
 * @throws DOMException NotSupportedError (as a rejection) when the runtime lacks the algorithm.
 */
export async function createProofKey({ alg = "ES256" }: ProofKeyOptions = {}): Promise<ProofKey> {
  const made = await crypto.subtle.generateKey(generation[alg], false, ["sign", "verify"]);
  if (!("privateKey" in made)) throw new TypeError("A proof key is a key pair");
  return restoreProofKey(made);
}

/**
 * The proof key of a pair that was kept.
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
 * @throws TypeError (as a rejection) when it is no P-256 or Ed25519 pair, or its private key can be exported: such a
 * key may already be elsewhere.
 */
export async function restoreProofKey(keyPair: WebCryptoKeyPair): Promise<ProofKey> {
  const { privateKey } = keyPair;
  if (privateKey.extractable) throw new TypeError("The private key of a proof key must not be extractable");
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
