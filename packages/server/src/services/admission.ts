import type { Operation } from "../contract/operation.js";
import { type AdmittedCaller, allowlisted, missingScopes } from "../domain/model/access.js";
import type { Rate, RateLimiter } from "../ports/rate-limiter.js";
import type { Authenticated, Authenticator } from "../ports/tokens.js";
import type { Call } from "./call.js";
import { type RpcError, rpcError } from "./rpc-error.js";

export interface AdmissionOptions extends CallRates {
  readonly authenticator: Authenticator;
}

export interface CallRates {
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

function unlessLimited(retryAfterMs: number, caller: AdmittedCaller): AdmittedCaller {
  if (retryAfterMs > 0) throw rpcError("RATE_LIMITED", { retryAfterMs });
  return caller;
}

export function invalidToken(): RpcError {
  return rpcError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } });
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
  ): AdmittedCaller | Promise<AdmittedCaller> => {
    if (authenticated === undefined) throw invalidToken();
    const { claims, access } = authenticated;
    if (!allowlisted(access, operation.operation)) throw rpcError("TOKEN_NOT_ALLOWLISTED");
    if (missingScopes(claims.scopes, operation).length > 0) {
      const scope = operation.requiredScopes.join(" ");
      throw rpcError("INSUFFICIENT_SCOPE", {
        headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
      });
    }
    const caller = access.delegation === undefined ? claims : { ...claims, delegation: access.delegation };
    if (rateLimiter !== undefined) {
      const taken = rateLimiter.take(bucketOf(operation, claims), rates[operation.operation] ?? fallbackRate);
      return taken instanceof Promise
        ? taken.then((waitMs) => unlessLimited(waitMs, caller))
        : unlessLimited(taken, caller);
    }
    return caller;
  };

  return (authorization = "", operation: Operation): AdmittedCaller | Promise<AdmittedCaller> => {
    const scheme = bearer.exec(authorization)?.[0];
    if (scheme === undefined) throw rpcError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });
    const authenticated = authenticator.authenticate(authorization.slice(scheme.length));
    return authenticated instanceof Promise
      ? authenticated.then((known) => authorize(known, operation))
      : authorize(authenticated, operation);
  };
}

function bucketOf({ operation }: { readonly operation: string }, { tenantId, principalId }: Principal): string {
  // With the length, no two callers share a key, even if the ids of another issuer contain spaces.
  return `${operation} ${tenantId.length} ${tenantId} ${principalId}`;
}

interface Principal {
  readonly tenantId: string;
  readonly principalId: string;
}

/** Counts an admitted call as `more` further calls of its operation: for one that does the work of several. @throws RpcError RATE_LIMITED */
export type CountMore = (call: Call, more: number) => Promise<void>;

/** The calls that rejected calls had taken, by principal and operation. */
interface KeptCalls {
  get(key: string): number | undefined;
  set(key: string, calls: number): void;
}

/**
 * Creates the function that counts one call as several. What a rejected call had taken is kept for the next one of the same principal:
 * otherwise, calls that are sent at the same time would use up what is left, again and again, and none of them would be accepted.
 */
export function createCountMore({ rateLimiter, rates }: CallRates, kept: KeptCalls): CountMore {
  return async ({ actor }, more) => {
    if (rateLimiter === undefined) return;
    const rate = rates[actor.operation] ?? fallbackRate;
    const key = bucketOf(actor, actor);
    const before = kept.get(key) ?? 0;
    const used = Math.min(before, more);
    if (used > 0) kept.set(key, before - used);
    const waits = await Promise.all(Array.from({ length: more - used }, () => rateLimiter.take(key, rate)));
    const missing = waits.filter((waitMs) => waitMs > 0).length;
    if (missing === 0) return;
    kept.set(key, (kept.get(key) ?? 0) + more - missing);
    // The wait is for one call. After the delay, there are enough for all of them, and the one that the gate takes.
    const retryAfterMs = Math.max(...waits) + Math.ceil((missing * 60_000) / rate.perMinute);
    throw rpcError("RATE_LIMITED", { retryAfterMs });
  };
}

/** Admits a call by its Authorization header. @throws RpcError with the reason when it is rejected. */
export type Admit = (
  authorization: string | undefined,
  operation: Operation,
) => AdmittedCaller | Promise<AdmittedCaller>;
