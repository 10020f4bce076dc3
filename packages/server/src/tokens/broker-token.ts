import type { KeyObject } from "node:crypto";
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { TokenClaims } from "../domain/access.js";

/** What a broker token says, once it is known to be good. */
export interface BrokerTokenClaims extends TokenClaims {
  /** What the holder is: "agent". An open string. */
  readonly role: string;
  /** The thumbprint of the key that the holder proved to have; "" when the token is bound to none. */
  readonly popKeyId: string;
}

/** Why a token is not accepted. */
export type TokenFailure = "TOKEN_INVALID" | "TOKEN_EXPIRED" | "TOKEN_FOREIGN" | "KEYS_UNAVAILABLE";

/** The public key of a `kid`. Undefined when there is none. */
export type BrokerKeys = (keyId: string) => KeyObject | undefined | Promise<KeyObject | undefined>;

export interface BrokerTokenReaderOptions {
  readonly keys: URL | BrokerKeys;
  readonly issuer: string;
  readonly audience: string;
}

export type TokenResult =
  | { readonly ok: true; readonly claims: BrokerTokenClaims }
  | { readonly ok: false; readonly reason: TokenFailure };

class KeysUnavailable extends Error {}

const requiredClaims = ["sub", "exp", "iat", "jti", "client_id", "scope", "tenant_id", "grant_id"];
/** How far the issuer's clock may be ahead of the broker's, in milliseconds. */
const largestIssuerSkew = 60_000;
/** A token of ours has about 700 characters. */
const longestToken = 8192;

const fails = (reason: TokenFailure): TokenResult => ({ ok: false, reason });

/**
 * Checks all of a broker token but whether its holder may hold it. One algorithm, keys by `kid` alone: what else a header
 * says of keys is never followed (RFC 8725 sections 3.1 and 3.10).
 */
export function createBrokerTokenReader({ keys, issuer, audience }: BrokerTokenReaderOptions) {
  const keyOf = shieldKeys(keys instanceof URL ? createRemoteJWKSet(keys) : byKeyId(keys));
  return async (token: string, now: number): Promise<TokenResult> => {
    if (token.length > longestToken) return fails("TOKEN_INVALID");
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: ["Ed25519"],
        typ: "at+jwt",
        issuer,
        audience,
        requiredClaims,
        currentDate: new Date(now),
      });
      const claims = readClaims(payload, now);
      return claims === undefined ? fails("TOKEN_INVALID") : { ok: true, claims };
    } catch (error) {
      return fails(failureOf(error));
    }
  };
}

function failureOf(error: unknown): TokenFailure {
  if (error instanceof KeysUnavailable) return "KEYS_UNAVAILABLE";
  if (error instanceof errors.JWTExpired) return "TOKEN_EXPIRED";
  if (error instanceof errors.JWTClaimValidationFailed && (error.claim === "iss" || error.claim === "aud"))
    return "TOKEN_FOREIGN";
  if (error instanceof errors.JOSEError) return "TOKEN_INVALID";
  throw error;
}

function byKeyId(keys: BrokerKeys): JWTVerifyGetKey {
  return async ({ kid }) => {
    const key = kid === undefined ? undefined : await keys(kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };
}

/** That keys cannot be had now says nothing of the token; that there is none for it does. */
function shieldKeys(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    if (typeof header.kid !== "string") throw new errors.JWKSNoMatchingKey();
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new KeysUnavailable("The keys of the issuer cannot be had", { cause: error });
    }
  };
}

/** A signature says who wrote the claims, not that they are of the right types. */
function readClaims(payload: JWTPayload, now: number): BrokerTokenClaims | undefined {
  const { sub, jti, exp, iat, scope, client_id, tenant_id, grant_id, role } = payload;
  const named = isName(sub) && isName(jti) && isName(client_id) && isName(tenant_id) && isName(grant_id);
  const popKeyId = readConfirmation(payload);
  if (!named || !isName(role) || typeof scope !== "string" || exp === undefined || popKeyId === undefined)
    return undefined;
  // Issued before a clock was set back: it would live longer than it was meant to.
  if (iat === undefined || iat * 1000 > now + largestIssuerSkew) return undefined;
  return {
    tenantId: tenant_id,
    principalId: sub,
    oauthClientId: client_id,
    tokenId: jti,
    grantId: grant_id,
    scopes: scope.split(" ").filter((name) => name !== ""),
    expiresAt: exp * 1000,
    role,
    popKeyId,
  };
}

/** A token that is bound in a way that is not understood here is not a token that is bound to nothing (RFC 7800 section 3.1). */
function readConfirmation(payload: JWTPayload): string | undefined {
  if (!Object.hasOwn(payload, "cnf")) return "";
  const { cnf } = payload;
  if (typeof cnf !== "object" || cnf === null) return undefined;
  const { jkt, ...others }: { jkt?: unknown } = cnf;
  return isName(jkt) && Object.keys(others).length === 0 ? jkt : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
