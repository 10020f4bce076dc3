export type { WebCryptoKey, WebCryptoKeyPair } from "../crypto/web-crypto.js";
export type { PublicJwk } from "./jwk.js";
export { type Jwk, thumbprint } from "./jwk.js";
export type { ProofAlgorithm, ProofRequest } from "./proof.js";
export { createProofKey, type ProofKey, type ProofKeyOptions, restoreProofKey } from "./proof-key.js";
