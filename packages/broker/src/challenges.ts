/** An Authorization scheme that broker tokens are sent with. */
export type Scheme = "Bearer" | "DPoP";

/** The `error` of a challenge: RFC 6750 section 3.1, RFC 9449 section 7.1. */
export type OAuthError = "invalid_token" | "invalid_dpop_proof" | "insufficient_scope";

export interface Challenge {
  readonly scheme: Scheme | undefined;
  readonly error: OAuthError | undefined;
  readonly description: string;
  readonly requiredScopes: readonly string[] | undefined;
}

/**
 * Returns the value of a WWW-Authenticate header. It offers both schemes, as RFC 9449 section 7.2 shows, and puts the error
 * into the challenge of the scheme that the request used. A request without credentials gets no error.
 */
export function challenges(challenge: Challenge): string {
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
