import type { Operation } from "../contract/operation.js";
import { allowlisted, missingScopes, type TokenClaims } from "../domain/access.js";
import type { Rate, RateLimiter } from "../ports/rate-limiter.js";
import type { Authenticated, Authenticator } from "../ports/tokens.js";
import { rpcError } from "./rpc-error.js";

/** Who knows the callers, and how often they may call. */
export interface AdmissionOptions {
  readonly authenticator: Authenticator;
  /** Undefined: calls are not limited. */
  readonly rateLimiter: RateLimiter | undefined;
  /** The rate of each operation, for one principal. One that is not named has `fallbackRate`. */
  readonly rates: Readonly<Record<string, Rate>>;
}

/**
 * The rate of an operation that has none of its own, so that none is without: 6,000 a minute for a principal, burst 1,000.
 * Generous, because it is meant for private operations.
 */
const fallbackRate: Rate = { perMinute: 6_000, burst: 1_000 };

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
/** Whether something was presented as a token that is none. */
const presented = /^Bearer +\S/i;

/**
 * The part of the gate that asks who calls: token, then allowlist, then scope, then rate.
 *
 * `admit` returns or throws synchronously when the token is cached.
 */
export function createAdmission({ authenticator, rateLimiter, rates }: AdmissionOptions) {
  const authorize = (authenticated: Authenticated | undefined, operation: Operation): TokenClaims => {
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
      // With the length, no two callers share a key, whatever a foreign issuer calls them.
      const key = `${operation.operation} ${tenantId.length} ${tenantId} ${principalId}`;
      const retryAfterMs = rateLimiter.take(key, rates[operation.operation] ?? fallbackRate);
      if (retryAfterMs > 0) throw rpcError("RATE_LIMITED", { retryAfterMs });
    }
    return claims;
  };

  return (authorization: string | undefined, operation: Operation): TokenClaims | Promise<TokenClaims> => {
    const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
    if (token === undefined && !presented.test(authorization ?? "")) {
      throw rpcError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });
    }
    const authenticated = token === undefined ? undefined : authenticator.authenticate(token);
    return authenticated instanceof Promise
      ? authenticated.then((known) => authorize(known, operation))
      : authorize(authenticated, operation);
  };
}

/** Admits a call by its Authorization header, or throws why not. */
export type Admit = ReturnType<typeof createAdmission>;
