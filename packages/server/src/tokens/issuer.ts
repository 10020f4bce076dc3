import type { JWTPayload } from "jose";
import { SignJWT } from "jose/jwt/sign";
import { vaultDetailOf } from "../domain/model/bounds.js";
import type { Grant } from "../domain/model/grant.js";
import type { TokenIssuer } from "../ports/tokens.js";
import type { KeyRing } from "./key-ring.js";

export interface TokenIssuerOptions {
  readonly keyRing: Pick<KeyRing, "currentKeyId" | "privateKey">;
  /** The `iss` of every token. */
  readonly issuer: string;
  /** The `aud` of access tokens: this API. */
  readonly audience: string;
  /** The `aud` of broker tokens. */
  readonly brokerAudience: string;
}

/**
 * Creates an issuer that signs JWT access tokens (RFC 9068) with Ed25519 (RFC 8032, RFC 9864). Claims have a fixed order
 * and depend on no randomness or clock, so the same grant always gives the same bytes.
 *
 * Signing fails when the key of the grant was removed. Signing a broker token also fails when the grant has none.
 */
export function createTokenIssuer({ keyRing, issuer, audience, brokerAudience }: TokenIssuerOptions): TokenIssuer {
  const claimsOf = (grant: Grant, aud: string, jti: string) => ({
    iss: issuer,
    sub: grant.principalId,
    aud,
    exp: grant.expiresAt,
    iat: grant.issuedAt,
    jti,
    client_id: grant.oauthClientId,
    scope: grant.scopes.join(" "),
    tenant_id: grant.tenantId,
    grant_id: grant.grantId,
    ...(grant.delegation !== undefined && { authorization_details: [vaultDetailOf(grant.delegation.bounds)] }),
  });

  const sign = async (keyId: string, claims: JWTPayload): Promise<string> => {
    const key = keyRing.privateKey(keyId);
    if (key === undefined) throw new Error(`The signing key ${keyId} was removed. Its tokens cannot be signed again`);
    return new SignJWT(claims).setProtectedHeader({ typ: "at+jwt", alg: "Ed25519", kid: keyId }).sign(key);
  };

  return {
    currentKeyId: () => keyRing.currentKeyId(),
    signAccessToken: (grant) => sign(grant.keyId, claimsOf(grant, audience, grant.accessTokenId)),
    async signBrokerToken(grant) {
      if (grant.brokerTokenId === "") throw new Error(`The grant ${grant.grantId} has no broker token`);
      return sign(grant.keyId, {
        ...claimsOf(grant, brokerAudience, grant.brokerTokenId),
        role: "agent",
        ...(grant.popKeyId === "" ? {} : { cnf: { jkt: grant.popKeyId } }),
      });
    },
  };
}
