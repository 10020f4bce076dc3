import type { Context } from "hono";
import { oauthCall } from "../http/call-of.js";
import type { AccountsEnvironment } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";
import { readClient } from "./find-client.js";
import type { OAuthParts } from "./oauth-parts.js";
import { readForm, required } from "./read-form.js";

/**
 * Creates the revocation endpoint (RFC 7009). A refresh token is revoked with its family and all of their access tokens, an access
 * token with the tokens of its grant. Revoking an unknown token succeeds.
 */
export function createRevocationEndpoint(parts: OAuthParts) {
  const { operations, platform, tenantId, mcp } = parts;

  /** Returns false if the token belongs to another client. */
  async function revoke(token: string, oauthClientId: string, context: Context<AccountsEnvironment>): Promise<boolean> {
    const call = oauthCall(context, { tenantId, oauthClientId });
    if (token.startsWith("prt_")) return operations.revokeRefreshToken(token, call);
    const found =
      (await platform.authenticator.authenticate(token)) ??
      (await platform.brokerAuthenticator.authenticate(token)) ??
      (await mcp?.authenticator.authenticate(token));
    if (found === undefined) return true;
    const { claims } = found;
    if (claims.tenantId !== tenantId || claims.oauthClientId !== oauthClientId) return false;
    await operations.revokeToken(claims.tokenId, call);
    return true;
  }

  return async (context: Context<AccountsEnvironment>) => {
    const form = await readForm(context);
    const { oauthClientId } = await readClient(context, form, parts);
    if (await revoke(required(form, "token"), oauthClientId, context)) return context.body(null, 200);
    throw new OAuthError("unauthorized_client", "The token belongs to another client. Only that client can revoke it.");
  };
}
