import type { KeyObject } from "node:crypto";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import * as errors from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import { BrokerTokenError, type BrokerTokenReason, type Scheme } from "./broker-token-error.js";
import { createRemoteKeys, KeysExpiredError, type RemoteKeysOptions } from "./remote-keys.js";

/** The claims of a verified broker token. */
export interface BrokerTokenClaims {
  readonly tenantId: string;
  /** The user on whose behalf the holder acts: the `sub`. */
  readonly principalId: string;
  readonly oauthClientId: string;
  /** The `jti`. */
  readonly tokenId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The role of the holder: "agent". An open string, so tolerate other values. */
  readonly role: string;
  /** The thumbprint of the key that the token is bound to; "" when it is not bound. */
  readonly popKeyId: string;
  /**
   * What the approval is limited to (RFC 9396): an element of the type "vault" may name `vaults`, `actions`, `max_deletions`,
   * `max_uses`, `hosts` and `expires_at`. Apply the limits that concern your server. Empty: the token has none.
   *
   * @see https://www.rfc-editor.org/rfc/rfc9396#section-2
   */
  readonly authorizationDetails: readonly AuthorizationDetail[];
}

/** A limit of an approval. The members depend on the type. */
export interface AuthorizationDetail {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Returns the public key of a `kid`, or undefined if the `kid` is unknown. */
export type BrokerKeys = (keyId: string) => KeyObject | undefined | Promise<KeyObject | undefined>;

export interface TokenReaderOptions extends RemoteKeysOptions {
  readonly keys: URL | BrokerKeys;
  readonly issuer: string;
  readonly audience: string;
}

export interface SentToken {
  readonly scheme: Scheme;
  readonly accessToken: string;
}

/** Reads a token at a time in milliseconds since the epoch. Rejects with a `BrokerTokenError`. */
export type TokenReader = (sent: SentToken, now: number) => Promise<BrokerTokenClaims>;

class KeysUnavailableError extends Error {}

const requiredClaims = ["sub", "exp", "iat", "jti", "client_id", "scope", "tenant_id", "grant_id"];
/** How far the issuer's clock may be ahead of the broker's, in milliseconds. */
const maxIssuerSkew = 60_000;
/** How many seconds ahead the `nbf` may be: clocks differ. */
const nbfTolerance = 30;
/** The platform's tokens have about 700 characters. */
const maxTokenLength = 8192;

/**
 * Creates a reader that checks a broker token, but not its scheme, proof or scopes. It accepts one algorithm and finds keys by
 * `kid` alone: it ignores other key parameters of the header (RFC 8725 sections 3.1 and 3.10).
 */
export function createTokenReader({ keys, issuer, audience, ...remote }: TokenReaderOptions): TokenReader {
  const keyOf = reportUnavailable(keys instanceof URL ? createRemoteKeys(keys, remote) : byKeyId(keys));
  return async ({ scheme, accessToken }, now) => {
    if (accessToken.length > maxTokenLength) throw new BrokerTokenError("TOKEN_INVALID", { scheme });
    const options = { algorithms: ["Ed25519"], typ: "at+jwt", issuer, audience, requiredClaims };
    const time = { currentDate: new Date(now), clockTolerance: nbfTolerance };
    const { payload } = await jwtVerify(accessToken, keyOf, { ...options, ...time }).catch((error: unknown) => {
      const cause = error instanceof KeysUnavailableError ? error.cause : error;
      throw new BrokerTokenError(reasonOf(error), { scheme, cause });
    });
    const claims = readClaims(payload, now);
    if (claims === undefined) throw new BrokerTokenError("TOKEN_INVALID", { scheme });
    // The tolerance is for `nbf`. jose applies it to `exp`, too.
    if (claims.expiresAt <= now) throw new BrokerTokenError("TOKEN_EXPIRED", { scheme });
    return claims;
  };
}

/** An invalid token makes jose throw a JOSEError. Anything else comes from the key source. */
function reasonOf(error: unknown): BrokerTokenReason {
  if (error instanceof errors.JWTExpired) return "TOKEN_EXPIRED";
  if (error instanceof errors.JWTClaimValidationFailed && (error.claim === "iss" || error.claim === "aud"))
    return "TOKEN_FOREIGN";
  if (error instanceof errors.JOSEError) return "TOKEN_INVALID";
  return error instanceof KeysUnavailableError && error.cause instanceof KeysExpiredError
    ? "KEYS_EXPIRED"
    : "KEYS_UNAVAILABLE";
}

function byKeyId(keys: BrokerKeys): JWTVerifyGetKey {
  return async ({ kid }) => {
    const key = kid === undefined ? undefined : await keys(kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };
}

/** Distinguishes keys that cannot be loaded, which is not the token's fault, from a key that does not exist. */
function reportUnavailable(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    if (typeof header.kid !== "string") throw new errors.JWKSNoMatchingKey();
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new KeysUnavailableError("The issuer's keys could not be loaded", { cause: error });
    }
  };
}

/** Checks the types of the claims: a valid signature does not guarantee them. */
function readClaims(payload: JWTPayload, now: number): BrokerTokenClaims | undefined {
  const { sub, jti, exp, iat, scope, client_id, tenant_id, grant_id, role } = payload;
  const named = isName(sub) && isName(jti) && isName(client_id) && isName(tenant_id) && isName(grant_id);
  const popKeyId = readConfirmation(payload);
  const authorizationDetails = readDetails(payload);
  // A token with limits that cannot be read must not count as one without.
  if (authorizationDetails === undefined) return undefined;
  if (!named || !isName(role) || typeof scope !== "string" || exp === undefined || popKeyId === undefined)
    return undefined;
  // Issued before a clock was set back: it would be valid for longer than intended.
  if (iat === undefined || iat * 1000 > now + maxIssuerSkew) return undefined;
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
    authorizationDetails,
  };
}

/** Returns the `authorization_details`. Undefined if they are not a list of objects with a type. */
function readDetails(payload: JWTPayload): readonly AuthorizationDetail[] | undefined {
  if (!Object.hasOwn(payload, "authorization_details")) return [];
  const { authorization_details: details } = payload;
  return Array.isArray(details) && details.every(isDetail) ? details : undefined;
}

function isDetail(value: unknown): value is AuthorizationDetail {
  return typeof value === "object" && value !== null && "type" in value && isName(value.type);
}

/** Returns the `cnf.jkt`, or "" without `cnf`. An unknown confirmation must not count as unbound (RFC 7800 section 3.1). */
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
