import type { Context } from "hono";
import { decodeJwt } from "jose/jwt/decode";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { createBrokerAuthentication } from "./authenticate-broker.js";
import type { OAuthParts } from "./oauth-parts.js";
import { readForm, required } from "./read-form.js";

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
    return context.json({ active: true, token_type, ...claims });
  };
}
