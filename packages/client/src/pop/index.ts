export type { WebCryptoKey, WebCryptoKeyPair } from "../crypto/web-crypto.js";
export type { ProofAlgorithm, ProofRequest } from "./proof.js";
export { createProofKey, type ProofKey, type ProofKeyOptions, restoreProofKey } from "./proof-key.js";
export type { PublicJwk } from "./public-jwk.js";
export { type Jwk, thumbprint } from "./thumbprint.js";
