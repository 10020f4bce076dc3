import { isSameIssuer, vaultDetailOf } from "@platform-rpc/server/host";
import type { Context } from "hono";
import { createLocalJWKSet } from "jose/jwks/local";
import { decodeJwt } from "jose/jwt/decode";
import { jwtVerify } from "jose/jwt/verify";
import type { AccountsEnvironment } from "../http/environment.js";
import { invalidClient } from "./find-client.js";
import { proofAlgorithms } from "./metadata.js";
import type { OAuthParts } from "./oauth-parts.js";
import { type Form, readForm, required } from "./read-form.js";
import { createUsedProofs } from "./used-proofs.js";

/**
 * Creates the introspection endpoint (RFC 7662), with which a broker learns that a broker token was revoked before it expires. Tokens
 * with another audience are reported as not active.
 */
export function createIntrospectionEndpoint(parts: OAuthParts) {
  const authenticateBroker = createBrokerAuthentication(parts);
  return async (context: Context<AccountsEnvironment>) => {
    const form = await readForm(context);
    await authenticateBroker(context, form);
    const token = required(form, "token");
    const found = await parts.platform.brokerAuthenticator.authenticate(token);
    if (found === undefined || found.access.oauthClient?.enabled !== true) return context.json({ active: false });
    // The signature has been verified.
    const { iss, sub, aud, exp, iat, jti, client_id, scope, tenant_id, grant_id, role, cnf } = decodeJwt(token);
    const token_type = cnf === undefined ? "Bearer" : "DPoP";
    const claims = { iss, sub, aud, exp, iat, jti, client_id, scope, tenant_id, grant_id, role, cnf };
    // What the person allows now, which may differ from what the token says (RFC 9396 section 9.2).
    const { delegation } = found.access;
    const authorization_details = delegation && [vaultDetailOf(delegation.bounds)];
    return context.json({ active: true, token_type, ...claims, authorization_details });
  };
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** The longest life of an assertion, in milliseconds. */
const longestLife = 300_000;

/**
 * Creates a function that authenticates a broker by its assertion (private_key_jwt: RFC 7523 sections 2.2 and 3). Each assertion is
 * accepted once.
 *
 * Its `aud` is the issuer, as one string. With a list, an attacker's authorization server could make a broker sign an assertion that
 * also names this server, and use it here (audience injection).
 *
 * @see draft-ietf-oauth-rfc7523bis, draft-ietf-oauth-security-topics-update
 * @throws OAuthError invalid_client, invalid_request.
 */
function createBrokerAuthentication(parts: OAuthParts) {
  const { clock, brokers } = parts;
  const recordUse = createUsedProofs(parts);
  const keysOf = new Map([...brokers].map(([clientId, keys]) => [clientId, createLocalJWKSet(keys)]));
  const rejected = () => invalidClient("The client assertion is invalid, or the client is not a registered broker.");

  return async (context: Context<AccountsEnvironment>, form: Form): Promise<string> => {
    if (form.get("client_assertion_type") !== assertionType) throw rejected();
    const assertion = required(form, "client_assertion");
    const clientId = form.get("client_id") ?? issuerOf(assertion);
    const keys = keysOf.get(clientId);
    if (keys === undefined) throw rejected();
    const now = clock.now();
    const { payload } = await jwtVerify(assertion, keys, {
      algorithms: proofAlgorithms,
      issuer: clientId,
      subject: clientId,
      requiredClaims: ["exp", "jti"],
      currentDate: new Date(now),
    }).catch(() => {
      throw rejected();
    });
    if (typeof payload.aud !== "string" || !isSameIssuer(payload.aud, parts.issuer))
      throw invalidClient("The aud of a client assertion must be the issuer, as one string.");
    const expiresAt = (payload.exp ?? 0) * 1000;
    if (expiresAt > now + longestLife || typeof payload.jti !== "string") throw rejected();
    const use = await recordUse(context, { proofId: payload.jti, thumbprint: clientId, expiresAt, now });
    if (use !== "first") throw rejected();
    return clientId;
  };
}

function issuerOf(assertion: string): string {
  try {
    return decodeJwt(assertion).iss ?? "";
  } catch {
    return "";
  }
}
