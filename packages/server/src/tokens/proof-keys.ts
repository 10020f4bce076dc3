import { readProofKey } from "@platform-rpc/broker";
import type { ProofKeys } from "../ports/tokens.js";

/**
 * Creates the reader of proof-of-possession keys. It applies the rules of `@platform-rpc/broker`, so that a token is never
 * bound to a key that a broker rejects.
 *
 * @see RFC 7638, RFC 7800, RFC 9449
 */
export function createProofKeys(): ProofKeys {
  return { thumbprint: async (jwk) => (await readProofKey(jwk))?.thumbprint };
}
