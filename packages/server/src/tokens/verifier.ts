import type { KeyObject } from "node:crypto";
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from "jose";
import type { TokenClaims } from "../domain/access.js";
import { largestClockSkew } from "../domain/clock-agreement.js";
import type { Clock } from "../ports/clock.js";
import type { TokenVerifier } from "../ports/tokens.js";
import type { KeyRing } from "./key-ring.js";

/** The keys and names that are accepted. */
export interface TokenVerifierOptions {
  readonly keyRing: Pick<KeyRing, "publicKey">;
  /** The one `iss` that is accepted. */
  readonly issuer: string;
  /** The one `aud` that is accepted. */
  readonly audience: string;
  readonly clock: Clock;
}

const requiredClaims = ["sub", "exp", "iat", "jti", "client_id", "scope", "tenant_id", "grant_id"];

/**
 * Verifies the JWT access tokens of our own issuer (RFC 9068 section 4). One algorithm, keys from our own ring by `kid`
 * alone: what else a header says of keys is never followed (RFC 8725 sections 3.1 and 3.10).
 */
export function createTokenVerifier({ keyRing, issuer, audience, clock }: TokenVerifierOptions): TokenVerifier {
  const keyOf = ({ kid }: JWTHeaderParameters): KeyObject => {
    const key = kid === undefined ? undefined : keyRing.publicKey(kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  return {
    async verify(token) {
      if (!canonicallySigned(token)) return undefined;
      const now = clock.now();
      try {
        const { payload } = await jwtVerify(token, keyOf, {
          algorithms: ["Ed25519"],
          typ: "at+jwt",
          issuer,
          audience,
          requiredClaims,
          currentDate: new Date(now),
        });
        return readClaims(payload, now);
      } catch (error) {
        // What a token holds can only make jose throw errors of its own; anything else is a fault here, not in the token.
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

/**
 * base64url can spell the same bytes in several ways, and a signature covers everything but its own spelling: whoever has
 * one good token would have many.
 */
function canonicallySigned(token: string): boolean {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

/** A signature says who wrote the claims, not that they are of the right types. */
function readClaims(
  { sub, jti, exp, iat, scope, client_id, tenant_id, grant_id }: JWTPayload,
  now: number,
): TokenClaims | undefined {
  const named = isName(sub) && isName(jti) && isName(client_id) && isName(tenant_id) && isName(grant_id);
  if (!named || typeof scope !== "string" || exp === undefined || iat === undefined) return undefined;
  // Issued before the clock was set back: it would live longer than it was meant to.
  if (iat * 1000 > now + largestClockSkew) return undefined;
  return {
    tenantId: tenant_id,
    principalId: sub,
    oauthClientId: client_id,
    tokenId: jti,
    grantId: grant_id,
    scopes: scope.split(" ").filter((name) => name !== ""),
    expiresAt: exp * 1000,
  };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
