export type { Scheme } from "./broker-token-error.js";
export {
  BrokerTokenError,
  type BrokerTokenErrorOptions,
  type BrokerTokenReason,
  isBrokerTokenError,
} from "./broker-token-error.js";
export type { Clock } from "./clock.js";
export { type ProofRequest, type VerifiedProof, verifyProof } from "./proof.js";
export { type ProofKey, readProofKey } from "./proof-key.js";
export {
  createReplayCache,
  type ProofUse,
  type ReplayCache,
  type ReplayCacheOptions,
  type UsedProof,
} from "./replay-cache.js";
export type { AuthorizationDetail, BrokerKeys, BrokerTokenClaims } from "./token.js";
export {
  type BrokerRequest,
  type BrokerTokenVerifier,
  type BrokerTokenVerifierOptions,
  createBrokerTokenVerifier,
} from "./verifier.js";
