import { readProofKey } from "@platform-rpc/broker";
import type { ProofKeys } from "../ports/tokens.js";

/**
 * Reads the proof-of-possession keys that callers name, by the rules of those who verify broker tokens: a token is never
 * bound to a key that `@platform-rpc/broker` rejects.
 *
 * @see RFC 7638, RFC 7800, RFC 9449
 */
export function createProofKeys(): ProofKeys {
  return { thumbprint: async (jwk) => (await readProofKey(jwk))?.thumbprint };
}
