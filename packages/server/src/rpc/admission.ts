import type { Operation } from "../contract/operation.js";
import { allowlisted, missingScopes, type TokenClaims } from "../domain/access.js";
import type { Rate, RateLimiter } from "../ports/rate-limiter.js";
import type { Authenticated, Authenticator } from "../ports/tokens.js";
import { rpcError } from "./rpc-error.js";

/** The authenticator and the rates of the gate. */
export interface AdmissionOptions {
  readonly authenticator: Authenticator;
  /** Undefined: calls are not limited. */
  readonly rateLimiter: RateLimiter | undefined;
  /** The rate of each operation, for one principal. Default for an operation without one: `fallbackRate`. */
  readonly rates: Readonly<Record<string, Rate>>;
}

/**
 * The rate of an operation without a configured one: 6,000 calls a minute for a principal, with a burst of 1,000.
 * Generous, because it is meant for private operations.
 */
export const fallbackRate: Rate = { perMinute: 6_000, burst: 1_000 };

/** Matches the start of an Authorization header with a Bearer credential, which the authenticator checks. */
const bearer = /^Bearer +(?=\S)/i;

function unlessLimited(retryAfterMs: number, claims: TokenClaims): TokenClaims {
  if (retryAfterMs > 0) throw rpcError("RATE_LIMITED", { retryAfterMs });
  return claims;
}

/**
 * Creates the part of the gate that checks the caller: token, then allowlist, then scope, then rate.
 *
 * The returned function returns or throws synchronously when the token is cached, and the rate limiter knows the caller.
 */
export function createAdmission({ authenticator, rateLimiter, rates }: AdmissionOptions) {
  const authorize = (
    authenticated: Authenticated | undefined,
    operation: Operation,
  ): TokenClaims | Promise<TokenClaims> => {
    if (authenticated === undefined) {
      throw rpcError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } });
    }
    const { claims, access } = authenticated;
    if (!allowlisted(access, operation.operation)) throw rpcError("TOKEN_NOT_ALLOWLISTED");
    if (missingScopes(claims.scopes, operation).length > 0) {
      const scope = operation.requiredScopes.join(" ");
      throw rpcError("INSUFFICIENT_SCOPE", {
        headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
      });
    }
    if (rateLimiter !== undefined) {
      const { tenantId, principalId } = claims;
      // With the length, no two callers share a key, even if the ids of another issuer contain spaces.
      const key = `${operation.operation} ${tenantId.length} ${tenantId} ${principalId}`;
      const taken = rateLimiter.take(key, rates[operation.operation] ?? fallbackRate);
      return taken instanceof Promise
        ? taken.then((waitMs) => unlessLimited(waitMs, claims))
        : unlessLimited(taken, claims);
    }
    return claims;
  };

  return (authorization = "", operation: Operation): TokenClaims | Promise<TokenClaims> => {
    const scheme = bearer.exec(authorization)?.[0];
    if (scheme === undefined) throw rpcError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });
    const authenticated = authenticator.authenticate(authorization.slice(scheme.length));
    return authenticated instanceof Promise
      ? authenticated.then((known) => authorize(known, operation))
      : authorize(authenticated, operation);
  };
}

/** Admits a call by its Authorization header. @throws RpcError with the reason when it is rejected. */
export type Admit = (authorization: string | undefined, operation: Operation) => TokenClaims | Promise<TokenClaims>;
