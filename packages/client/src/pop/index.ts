export type { ProofAlgorithm, ProofRequest } from "./proof.js";
export { createProofKey, type ProofKey, type ProofKeyOptions, restoreProofKey } from "./proof-key.js";
export type { PublicJwk } from "./public-jwk.js";
export { thumbprint } from "./thumbprint.js";
