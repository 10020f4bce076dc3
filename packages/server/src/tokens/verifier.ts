import type { KeyObject } from "node:crypto";
import type { JWTHeaderParameters, JWTPayload } from "jose";
import * as errors from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import type { TokenClaims } from "../domain/model/access.js";
import type { Clock } from "../ports/clock.js";
import type { TokenVerifier } from "../ports/tokens.js";
import type { KeyRing } from "./key-ring.js";

export interface TokenVerifierOptions {
  readonly keyRing: Pick<KeyRing, "publicKey">;
  /** The only accepted `iss`. */
  readonly issuer: string;
  /** The only accepted `aud`. */
  readonly audience: string;
  readonly clock: Clock;
}

/** How far `nbf` and `iat` may be ahead, in seconds: the clocks of processes differ. */
const clockTolerance = 30;

const requiredClaims = ["sub", "exp", "iat", "jti", "client_id", "scope", "tenant_id", "grant_id"];

/**
 * Creates the verifier of the JWT access tokens that this platform issued (RFC 9068 section 4). Accepts one algorithm, and
 * keys of the key ring by `kid` only. Other key headers are ignored (RFC 8725 sections 3.1 and 3.10).
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
          clockTolerance,
          currentDate: new Date(now),
        });
        return readClaims(payload, now);
      } catch (error) {
        // An invalid token makes jose throw a JOSEError. Any other error is a bug here.
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

/**
 * Returns whether the signature has its canonical encoding. base64url can encode the same bytes in several ways and a
 * signature does not cover its own encoding, so one valid token would otherwise have several valid forms.
 */
function canonicallySigned(token: string): boolean {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

/** Reads the claims, or returns undefined if a type is wrong. A valid signature does not guarantee types. */
function readClaims(
  { sub, jti, exp, iat, scope, client_id, tenant_id, grant_id }: JWTPayload,
  now: number,
): TokenClaims | undefined {
  const named = isName(sub) && isName(jti) && isName(client_id) && isName(tenant_id) && isName(grant_id);
  if (!named || typeof scope !== "string" || exp === undefined || iat === undefined) return undefined;
  // The tolerance is for `nbf`. An expired token stays expired.
  if (exp * 1000 <= now) return undefined;
  // Issued before the clock was set back: it would be valid for longer than intended.
  if (iat > now / 1000 + clockTolerance) return undefined;
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
