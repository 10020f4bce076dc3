type Rule = readonly [status: 401 | 403 | 429 | 503, error: OAuthError | undefined, message: string];

/** Messages go to callers, in the `error_description` of RFC 6750: no quotes, no backslashes, no value from the request. */
const rules = {
  TOKEN_MISSING: [
    401,
    undefined,
    "An access token is required. Send an Authorization header with the scheme DPoP or Bearer.",
  ],
  TOKEN_INVALID: [401, "invalid_token", "The access token is not a valid broker token. Request a new one."],
  TOKEN_EXPIRED: [401, "invalid_token", "The access token has expired. Request a new one."],
  TOKEN_FOREIGN: [401, "invalid_token", "The access token is from another issuer or for another audience."],
  SCHEME_WRONG: [
    401,
    "invalid_token",
    "The Authorization scheme does not fit the token. Send a token that is bound to a key (cnf.jkt) as DPoP, any other as Bearer.",
  ],
  INSUFFICIENT_SCOPE: [403, "insufficient_scope", "The access token lacks a scope that this request requires."],
  PROOF_MISSING: [401, "invalid_dpop_proof", "A DPoP header is required. Send one proof with each request."],
  PROOF_NOT_SINGLE: [401, "invalid_dpop_proof", "There is more than one DPoP proof. Send exactly one."],
  PROOF_MALFORMED: [401, "invalid_dpop_proof", "The DPoP proof is not a JWT with the claims jti, htm, htu and iat."],
  PROOF_TYPE: [401, "invalid_dpop_proof", "The typ of the DPoP proof is not dpop+jwt."],
  PROOF_ALGORITHM: [401, "invalid_dpop_proof", "The alg of the DPoP proof is neither ES256 nor Ed25519."],
  PROOF_KEY: [401, "invalid_dpop_proof", "The jwk of the DPoP proof is not a valid public key for its alg."],
  PROOF_SIGNATURE: [401, "invalid_dpop_proof", "The signature of the DPoP proof does not match its jwk."],
  PROOF_METHOD: [401, "invalid_dpop_proof", "The htm of the DPoP proof is not the method of this request."],
  PROOF_URL: [401, "invalid_dpop_proof", "The htu of the DPoP proof is not the URL of this request."],
  PROOF_TIME: [401, "invalid_dpop_proof", "The iat of the DPoP proof is too old or in the future. Check the clock."],
  PROOF_TOKEN: [401, "invalid_dpop_proof", "The ath of the DPoP proof is not the hash of this access token."],
  // RFC 9449 section 7.1 shows invalid_token for this one.
  PROOF_KEY_MISMATCH: [401, "invalid_token", "The access token is bound to a key other than that of the DPoP proof."],
  PROOF_REPLAYED: [401, "invalid_dpop_proof", "The DPoP proof was used before. Make a new one for each request."],
  PROOF_LIMIT: [429, undefined, "This key has used too many DPoP proofs in a short time. Retry in a minute."],
  REPLAY_CACHE_FULL: [503, undefined, "The broker cannot record more DPoP proofs at the moment. Retry in a minute."],
  REPLAY_CACHE_UNAVAILABLE: [503, undefined, "The broker cannot reach its record of used DPoP proofs. Retry later."],
  KEYS_UNAVAILABLE: [503, undefined, "The broker cannot load the keys of the token's issuer. Retry later."],
  KEYS_EXPIRED: [
    503,
    undefined,
    "The broker cannot load the keys of the token's issuer, and those that it has are too old. Retry later.",
  ],
} as const satisfies Readonly<Record<string, Rule>>;

/**
 * Why a request was rejected.
 *
 * | reason | status | |
 * |---|---|---|
 * | TOKEN_MISSING | 401 | no Authorization header with the scheme Bearer or DPoP |
 * | TOKEN_INVALID | 401 | not an acceptable JWT: form, `alg`, `typ`, key, signature or claims |
 * | TOKEN_EXPIRED | 401 | past its `exp`; there is no leeway |
 * | TOKEN_FOREIGN | 401 | from another issuer, or for another audience |
 * | SCHEME_WRONG | 401 | bound to a key but not sent as DPoP, or not bound but sent as DPoP |
 * | INSUFFICIENT_SCOPE | 403 | a required scope is missing |
 * | PROOF_MISSING, PROOF_NOT_SINGLE | 401 | not exactly one DPoP header |
 * | PROOF_MALFORMED | 401 | not a JWT, or without `jti`, `htm`, `htu`, `iat` |
 * | PROOF_TYPE, PROOF_ALGORITHM | 401 | `typ` is not dpop+jwt, or `alg` is neither ES256 nor Ed25519 |
 * | PROOF_KEY | 401 | `jwk` is not a public key for `alg` |
 * | PROOF_SIGNATURE | 401 | not signed by `jwk` |
 * | PROOF_METHOD, PROOF_URL | 401 | made for another request |
 * | PROOF_TIME | 401 | `iat` is outside the accepted window |
 * | PROOF_TOKEN | 401 | `ath` is not the hash of this token |
 * | PROOF_KEY_MISMATCH | 401 | not signed by the key that the token is bound to |
 * | PROOF_REPLAYED | 401 | used before |
 * | PROOF_LIMIT | 429 | its key has used too many proofs in the window |
 * | REPLAY_CACHE_FULL, REPLAY_CACHE_UNAVAILABLE, KEYS_UNAVAILABLE, KEYS_EXPIRED | 503 | a fault of the broker or the issuer, not of the caller |
 */
export type BrokerTokenReason =
  | "TOKEN_MISSING"
  | "TOKEN_INVALID"
  | "TOKEN_EXPIRED"
  | "TOKEN_FOREIGN"
  | "SCHEME_WRONG"
  | "INSUFFICIENT_SCOPE"
  | "PROOF_MISSING"
  | "PROOF_NOT_SINGLE"
  | "PROOF_MALFORMED"
  | "PROOF_TYPE"
  | "PROOF_ALGORITHM"
  | "PROOF_KEY"
  | "PROOF_SIGNATURE"
  | "PROOF_METHOD"
  | "PROOF_URL"
  | "PROOF_TIME"
  | "PROOF_TOKEN"
  | "PROOF_KEY_MISMATCH"
  | "PROOF_REPLAYED"
  | "PROOF_LIMIT"
  | "REPLAY_CACHE_FULL"
  | "REPLAY_CACHE_UNAVAILABLE"
  | "KEYS_UNAVAILABLE"
  | "KEYS_EXPIRED";

/** Options of a `BrokerTokenError`. */
export interface BrokerTokenErrorOptions {
  /** The Authorization scheme that the request used. */
  readonly scheme?: Scheme | undefined;
  /** The scopes that the request needs, for INSUFFICIENT_SCOPE. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** The error that a key source, a replay cache or jose threw. */
  readonly cause?: unknown;
}

/**
 * A request that must be rejected. Its `status` and `headers` are the response to send, and its `message` may be shown to
 * the caller. Its `cause` is for your log only. None of them contains the token, the proof or a key.
 *
 * @see RFC 6750 section 3, RFC 9449 section 7.1
 */
export class BrokerTokenError extends Error {
  override readonly name = "BrokerTokenError";
  readonly reason: BrokerTokenReason;
  /** The HTTP status to respond with: 401, 403, 429 or 503. */
  readonly status: number;
  /** The headers to respond with: `WWW-Authenticate` for 401 and 403, otherwise none. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: BrokerTokenReason, { scheme, requiredScopes, cause }: BrokerTokenErrorOptions = {}) {
    const [status, error, message]: Rule = rules[reason];
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = status;
    const challenged = status === 401 || status === 403;
    this.headers = challenged
      ? { "WWW-Authenticate": challenges({ scheme, error, description: message, requiredScopes }) }
      : {};
  }
}

/**
 * Returns whether a value is a `BrokerTokenError`, with the given reason if you name one. Unlike `instanceof` it also
 * recognizes the errors of another copy of this package.
 *
 * @example
 * ```ts
 * import { BrokerTokenError, isBrokerTokenError } from "@platform-rpc/broker";
 *
 * const error: unknown = new BrokerTokenError("TOKEN_EXPIRED", { scheme: "Bearer" });
 * console.log(isBrokerTokenError(error, "TOKEN_EXPIRED") && error.status);
 * // 401
 * ```
 */
export function isBrokerTokenError(error: unknown, reason?: BrokerTokenReason): error is BrokerTokenError {
  if (!(error instanceof Error) || error.name !== "BrokerTokenError" || !("reason" in error)) return false;
  return reason === undefined || error.reason === reason;
}

/** An Authorization scheme that broker tokens are sent with. */
export type Scheme = "Bearer" | "DPoP";

/** The `error` of a challenge: RFC 6750 section 3.1, RFC 9449 section 7.1. */
type OAuthError = "invalid_token" | "invalid_dpop_proof" | "insufficient_scope";

interface Challenge {
  readonly scheme: Scheme | undefined;
  readonly error: OAuthError | undefined;
  readonly description: string;
  readonly requiredScopes: readonly string[] | undefined;
}

/**
 * Returns the value of a WWW-Authenticate header. It offers both schemes, as RFC 9449 section 7.2 shows, and puts the error
 * into the challenge of the scheme that the request used. A request without credentials gets no error.
 */
function challenges(challenge: Challenge): string {
  const bearer = ["Bearer", attributesOf("Bearer", challenge)];
  const dpop = ["DPoP", attributesOf("DPoP", challenge)];
  return [bearer, dpop].map((parts) => parts.join(" ").trim()).join(", ");
}

function attributesOf(scheme: Scheme, challenge: Challenge): string {
  const { error, description, requiredScopes } = challenge;
  const applies = challenge.scheme === scheme && error !== undefined;
  return Object.entries({
    error: applies ? error : undefined,
    error_description: applies ? description : undefined,
    scope: applies && error === "insufficient_scope" ? requiredScopes?.join(" ") : undefined,
    algs: scheme === "DPoP" ? "ES256 Ed25519" : undefined,
  })
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}="${value}"`))
    .join(", ");
}
