import * as check from "@platform-rpc/options";
import { BrokerTokenError, type BrokerTokenReason, type Scheme } from "./broker-token-error.js";
import { type Clock, systemClock } from "./clock.js";
import { checkProof } from "./proof.js";
import { createReplayCache, type ProofUse, type ReplayCache, type UsedProof } from "./replay-cache.js";
import { type BrokerKeys, type BrokerTokenClaims, createTokenReader, type SentToken } from "./token.js";

/** Which tokens are accepted, and how their proofs are checked. */
export interface BrokerTokenVerifierOptions {
  /**
   * The URL of the platform's keys (`/.well-known/jwks.json`), or a function that finds one by its id. Fetched keys are used for 10
   * minutes, and for `maxKeyAgeSeconds` while they cannot be fetched again. An unknown id causes a fetch, at most every 30 seconds.
   */
  readonly keys: URL | BrokerKeys;
  /** The only accepted `iss`. */
  readonly issuer: string;
  /** The only accepted `aud`: the name of this broker. */
  readonly audience: string;
  /** How many seconds the `iat` of a proof may be from now, either way: 1 to 600. Default: 60. */
  readonly proofWindowSeconds?: number;
  /**
   * How many seconds old the keys from a URL may be while they cannot be fetched again, so that an outage of the platform does not
   * stop the broker: 0 to 604 800. A key that the platform removes in that time stays valid here until the next fetch. After it,
   * tokens are rejected with `KEYS_EXPIRED`. Default: 86 400, a day.
   */
  readonly maxKeyAgeSeconds?: number;
  /**
   * Called once when keys cannot be fetched and the last ones are used, for your log. Its message contains no secret. An error that
   * it throws is ignored. Default: `console.warn`.
   */
  readonly onWarning?: (message: string) => void;
  /** Default: a cache in the memory of this process, for 200 000 proofs, 10 000 of one key. */
  readonly replayCache?: ReplayCache;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
}

/** A request with a broker token. */
export interface BrokerRequest {
  /** The method as it was sent. */
  readonly method: string;
  /** The absolute URL that the sender requested. Behind a proxy this is the public URL. Do not build it from the Host header. */
  readonly url: string;
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** The DPoP header. If it was sent more than once: all of them, as a list or joined by commas. */
  readonly dpop: string | readonly string[] | undefined;
  /** The scopes that the token must have for this request. Default: none. */
  readonly requiredScopes?: readonly string[];
}

/** Verifies the broker token of each request. */
export interface BrokerTokenVerifier {
  /**
   * Returns the claims of the token. The token is accepted until it expires, after at most 900 seconds, even if it is revoked
   * in the meantime: the verifier does not query the platform.
   *
   * @throws BrokerTokenError (as a rejection) when the request must be rejected, or cannot be verified at the moment.
   */
  verify(request: BrokerRequest): Promise<BrokerTokenClaims>;
}

const seconds = (least: number, most: number) =>
  check.may(`be a number from ${least} to ${most}`, check.isFrom(least, most));

// jose does not check a claim whose expected value is undefined.
const name = check.must("be set as in the platform's settings: tokens are checked against it", check.isText);

const rules: check.OptionRules<BrokerTokenVerifierOptions> = {
  keys: check.must(
    'be a URL object, such as new URL("https://id.example.com/.well-known/jwks.json"), or a function',
    (value) => value instanceof URL || typeof value === "function",
  ),
  issuer: name,
  audience: name,
  proofWindowSeconds: seconds(1, 600),
  maxKeyAgeSeconds: seconds(0, 604_800),
  onWarning: check.ofType("function"),
  replayCache: check.withFunctions("record"),
  clock: check.withFunctions("now"),
};

/**
 * Creates a verifier of broker tokens. A token that is bound to a key (`cnf.jkt`) is accepted only with a DPoP proof of that
 * key, made for this request and not used before. A token that is bound to no key is a plain Bearer token.
 *
 * The verifier issues no DPoP nonces, so a proof may be made ahead of time.
 *
 * @example
 * ```ts
 * import { createBrokerTokenVerifier, isBrokerTokenError } from "@platform-rpc/broker";
 *
 * const verifier = createBrokerTokenVerifier({
 *   keys: (keyId) => keyRing.publicKey(keyId), // usually new URL("https://id.example/.well-known/jwks.json")
 *   issuer: "https://id.example",
 *   audience: "https://broker.example",
 *   clock,
 * });
 * const request = { method: "POST", url: "https://broker.example/run", dpop: undefined };
 * const { principalId } = await verifier.verify({ ...request, authorization: `Bearer ${brokerToken}` });
 * console.log(principalId);
 * // ada
 * const error = await verifier.verify({ ...request, authorization: undefined }).catch((error: unknown) => error);
 * if (isBrokerTokenError(error)) {
 *   console.log(error.status, error.reason, error.headers["WWW-Authenticate"]);
 *   // 401 TOKEN_MISSING Bearer, DPoP algs="ES256 Ed25519"
 * }
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 * @see RFC 9068 section 4, RFC 7800 section 3.1, RFC 9449 sections 4.3 and 7.1
 */
export function createBrokerTokenVerifier(options: BrokerTokenVerifierOptions): BrokerTokenVerifier {
  check.requireOptions("createBrokerTokenVerifier", options, rules);
  const { clock = systemClock, proofWindowSeconds = 60, replayCache = createReplayCache() } = options;
  const { maxKeyAgeSeconds = 86_400, onWarning = console.warn } = options;
  const readToken = createTokenReader({ ...options, clock, maxKeyAgeSeconds, onWarning });
  const windowMs = proofWindowSeconds * 1000;

  return {
    async verify({ method, url, authorization, dpop, requiredScopes = [] }) {
      // The clock is read once for the whole verification, because the steps below may take longer than the window.
      const now = clock.now();
      const sent = readAuthorization(authorization);
      const { scheme, accessToken } = sent;
      const claims = await readToken(sent, now);

      const { popKeyId: thumbprint } = claims;
      // If a bound token were accepted as Bearer, a stolen one would work without its key (RFC 9449 section 7.2).
      const bound = thumbprint !== "";
      if (bound !== (scheme === "DPoP")) throw new BrokerTokenError("SCHEME_WRONG", { scheme });
      if (bound) {
        const proofs = dpop === undefined ? [] : [dpop].flat();
        const { proofId, issuedAt } = await checkProof({ proofs, method, url, accessToken, thumbprint, now, windowMs });
        // Last, so that only holders of the key can fill the cache.
        await recordUse(replayCache, { proofId, thumbprint, expiresAt: issuedAt + windowMs, now });
      }
      if (!requiredScopes.every((scope) => claims.scopes.includes(scope)))
        throw new BrokerTokenError("INSUFFICIENT_SCOPE", { scheme, requiredScopes });
      return claims;
    },
  };
}

function readAuthorization(authorization: string | undefined): SentToken {
  const [, name, accessToken] = /^(Bearer|DPoP) +([\w.~+/-]+=*) *$/i.exec(authorization ?? "") ?? [];
  if (name === undefined || accessToken === undefined) throw new BrokerTokenError("TOKEN_MISSING");
  const scheme: Scheme = name.toLowerCase() === "dpop" ? "DPoP" : "Bearer";
  return { scheme, accessToken };
}

const reasons: Readonly<Record<Exclude<ProofUse, "first">, BrokerTokenReason>> = {
  seen: "PROOF_REPLAYED",
  key_full: "PROOF_LIMIT",
  full: "REPLAY_CACHE_FULL",
};

async function recordUse(replayCache: ReplayCache, proof: UsedProof): Promise<void> {
  let use: ProofUse;
  try {
    use = await replayCache.record(proof);
  } catch (cause) {
    throw new BrokerTokenError("REPLAY_CACHE_UNAVAILABLE", { scheme: "DPoP", cause });
  }
  if (use !== "first") throw new BrokerTokenError(reasons[use], { scheme: "DPoP" });
}
