import { hash } from "node:crypto";
import { type Clock, systemClock } from "../ports/clock.js";
import { checkProof, type ProofFailure } from "./broker-proof.js";
import { createProofReplayMemory, type ProofReplayMemory } from "./broker-replay-memory.js";
import { type BrokerKeys, type BrokerTokenClaims, createBrokerTokenReader, type TokenFailure } from "./broker-token.js";

/** Whose tokens are taken, and how their proofs are judged. */
export interface BrokerTokenVerifierOptions {
  /** Where the issuer publishes its keys (`/.well-known/jwks.json`; kept for 10 minutes), or what finds one by its id. */
  readonly keys: URL | BrokerKeys;
  /** The one `iss` that is accepted. */
  readonly issuer: string;
  /** The one `aud` that is accepted: the name of this broker. */
  readonly audience: string;
  /** Seconds that the `iat` of a proof may lie from now, either way: 1 to 600. Default: 60. */
  readonly proofWindowSeconds?: number;
  /** Default: a memory of this process alone, for 200 000 proofs, of one key 10 000. */
  readonly replayMemory?: ProofReplayMemory;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** A request that came with a broker token. */
export interface BrokerRequest {
  /** The method, as it was sent. */
  readonly method: string;
  /** The whole URL that the sender asked for. Behind a proxy: the public one. */
  readonly url: string;
  /** The Authorization header field. */
  readonly authorization: string | undefined;
  /** The DPoP header field; all of them when there are several, as a list or joined by commas. */
  readonly dpop: string | readonly string[] | undefined;
}

/**
 * Why a request is refused.
 *
 * | reason | |
 * |---|---|
 * | TOKEN_MISSING | no Authorization of the scheme Bearer or DPoP |
 * | TOKEN_INVALID | no JWT that is accepted: form, `alg`, `typ`, key, signature, claims |
 * | TOKEN_EXPIRED | past its `exp`, without leeway |
 * | TOKEN_FOREIGN | of another issuer, or for another audience |
 * | SCHEME_WRONG | bound to a key and not sent as DPoP, or bound to none and sent as DPoP |
 * | PROOF_MISSING, PROOF_NOT_SINGLE | not exactly one DPoP header field |
 * | PROOF_MALFORMED | no JWT, or one without `jti`, `htm`, `htu`, `iat` |
 * | PROOF_TYPE, PROOF_ALGORITHM | `typ` is not dpop+jwt, `alg` neither ES256 nor Ed25519 |
 * | PROOF_KEY | `jwk` is not a public key for `alg` |
 * | PROOF_SIGNATURE | not signed by `jwk` |
 * | PROOF_METHOD, PROOF_URL | for another request |
 * | PROOF_TIME | `iat` is not about now |
 * | PROOF_TOKEN | `ath` is not the hash of this token |
 * | PROOF_KEY_UNBOUND | of another key than the token is bound to |
 * | PROOF_REPLAYED | used before |
 * | PROOF_LIMIT | its key has used too many proofs in the window: answer 429 |
 * | PROOF_MEMORY_FULL, KEYS_UNAVAILABLE | not the sender's fault: answer 503 |
 */
export type BrokerTokenFailure =
  | "TOKEN_MISSING"
  | "SCHEME_WRONG"
  | TokenFailure
  | ProofFailure
  | "PROOF_REPLAYED"
  | "PROOF_LIMIT"
  | "PROOF_MEMORY_FULL";

/** What the token claims, or why the request is refused. */
export type BrokerTokenResult =
  | { readonly ok: true; readonly claims: BrokerTokenClaims }
  | { readonly ok: false; readonly reason: BrokerTokenFailure };

/** Tells whether a request may act for whom its broker token names. */
export interface BrokerTokenVerifier {
  /**
   * Never rejects because of what the request holds; rejects with what a replay memory of your own rejects with. A
   * revoked token is good until it expires (900 seconds at most): nobody is asked.
   */
  verify(request: BrokerRequest): Promise<BrokerTokenResult>;
}

/**
 * Verifies broker tokens for those who receive them. A token that is bound to a key (`cnf.jkt`) is taken only with a
 * proof of that key, made for this request, and once; one that is not is a plain Bearer.
 *
 * No DPoP nonces are given out: a proof made ahead of time is good as soon as its time has come.
 *
 * @example
 * ```ts
 * import { createBrokerTokenVerifier } from "@platform-rpc/server";
 *
 * const broker = createBrokerTokenVerifier({
 *   keys: (keyId) => keyRing.publicKey(keyId), // elsewhere the URL: https://id.example/.well-known/jwks.json
 *   issuer: "https://id.example",
 *   audience: "https://broker.example",
 *   clock,
 * });
 * const request = { method: "POST", url: "https://broker.example/run", dpop: undefined };
 * const result = await broker.verify({ ...request, authorization: `Bearer ${brokerToken}` });
 * console.log(result.ok ? result.claims.principalId : result.reason);
 * // ada
 * console.log(await broker.verify({ ...request, authorization: undefined }));
 * // { ok: false, reason: 'TOKEN_MISSING' }
 * ```
 *
 * @throws RangeError when `proofWindowSeconds` is out of bounds.
 * @see RFC 9068 section 4, RFC 7800 section 3.1, RFC 9449 sections 4.3 and 7.1
 */
export function createBrokerTokenVerifier(options: BrokerTokenVerifierOptions): BrokerTokenVerifier {
  const { clock = systemClock, proofWindowSeconds = 60 } = options;
  if (!(proofWindowSeconds >= 1 && proofWindowSeconds <= 600))
    throw new RangeError("proofWindowSeconds must be 1 to 600");
  const { replayMemory = createProofReplayMemory() } = options;
  const readToken = createBrokerTokenReader(options);
  const windowMs = proofWindowSeconds * 1000;

  return {
    async verify({ method, url, authorization, dpop }) {
      // One time for the whole verification: what is awaited below may take longer than the window.
      const now = clock.now();
      const [, scheme, accessToken] = /^(Bearer|DPoP) +([\w.~+/-]+=*) *$/i.exec(authorization ?? "") ?? [];
      if (scheme === undefined || accessToken === undefined) return fails("TOKEN_MISSING");
      const read = await readToken(accessToken, now);
      if (!read.ok) return read;

      const { popKeyId: thumbprint } = read.claims;
      // Taken as Bearer, a bound token would be worth as much in a thief's hands (RFC 9449 section 7.2).
      const bound = thumbprint !== "";
      if (bound !== (scheme.toLowerCase() === "dpop")) return fails("SCHEME_WRONG");
      if (!bound) return read;

      const proofs = dpop === undefined ? [] : [dpop].flat();
      const proof = await checkProof({ proofs, method, url, accessToken, thumbprint, now, windowMs });
      if (!proof.ok) return proof;
      // Last, so that only holders of the key can fill the memory.
      const proofId = hash("sha256", `${thumbprint}.${proof.jti}`, "base64url");
      const expiresAt = proof.issuedAt + windowMs;
      const remembrance = await replayMemory.remember({ proofId, thumbprint, expiresAt, now });
      return remembrance === "first" ? read : fails(replayFailures[remembrance]);
    },
  };
}

const replayFailures = { seen: "PROOF_REPLAYED", key_full: "PROOF_LIMIT", full: "PROOF_MEMORY_FULL" } as const;

function fails(reason: BrokerTokenFailure): BrokerTokenResult {
  return { ok: false, reason };
}
