import type { Context } from "hono";
import type { AccountsEnvironment } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";
import { authorizationCodeType, deviceCodeType, refreshTokenType } from "../oauth-clients/grants.js";
import { authorizationCodeGrant } from "./authorization-code-grant.js";
import { rejectAuthorizationDetails } from "./authorization-details.js";
import { deviceCodeGrant } from "./device-code-grant.js";
import { checkGrantType, readClient } from "./find-client.js";
import { readTarget } from "./grant.js";
import type { OAuthParts } from "./oauth-parts.js";
import type { ReadProof } from "./proof-reader.js";
import { readForm, required } from "./read-form.js";
import { refreshTokenGrant } from "./refresh-token-grant.js";

const grants = {
  [authorizationCodeType]: authorizationCodeGrant,
  [deviceCodeType]: deviceCodeGrant,
  [refreshTokenType]: refreshTokenGrant,
} as const;

export const grantTypes = Object.keys(grants);

/** Creates the token endpoint (RFC 6749 section 3.2). */
export function createTokenEndpoint(parts: OAuthParts, readProof: ReadProof) {
  return async (context: Context<AccountsEnvironment>) => {
    const form = await readForm(context);
    const type = required(form, "grant_type");
    const client = await readClient(context, form, parts);
    const { oauthClientId } = client;
    const grant = Object.entries(grants).find(([name]) => name === type)?.[1];
    if (grant === undefined) {
      throw new OAuthError("unsupported_grant_type", `The grant types are ${grantTypes.join(", ")}.`);
    }
    // Whoever may ask for an approval may renew it.
    if (type !== refreshTokenType) checkGrantType(client, type);
    const target = readTarget(form, parts);
    rejectAuthorizationDetails(form);
    const proofKeyId = await readProof(context);
    return context.json(await grant(parts, { context, form, oauthClientId, proofKeyId, target }));
  };
}
