import type { Context } from "hono";
import { deviceName, deviceStarts } from "../device/device-start.js";
import { oauthCall } from "../http/call-of.js";
import { clientAddress } from "../http/client-address.js";
import type { AccountsEnvironment } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";
import { deviceCodeType, scopesOf } from "../oauth-clients/grants.js";
import { readAuthorizationDetails } from "./authorization-details.js";
import { readKey } from "./authorization-request.js";
import { checkGrantType, type FindClient } from "./find-client.js";
import { readTarget } from "./grant.js";
import type { OAuthParts } from "./oauth-parts.js";
import type { ReadProof } from "./proof-reader.js";
import { readForm } from "./read-form.js";
import { grantable, readScopes } from "./scopes.js";

/**
 * Creates the device authorization endpoint (RFC 8628 section 3.1). A DPoP proof, or `dpop_jkt`, binds the code and all of its tokens
 * to a key, as for other authorization requests (RFC 9449 section 10).
 */
export function createDeviceAuthorizationEndpoint(
  parts: OAuthParts,
  { findClient, readProof }: { readonly findClient: FindClient; readonly readProof: ReadProof },
) {
  const { operations, origin, tenantId, clock } = parts;

  return async (context: Context<AccountsEnvironment>) => {
    const form = await readForm(context);
    // The person decides later, on a page that reads the client.
    const client = await findClient(context, form, { stores: "while it waits" });
    checkGrantType(client, deviceCodeType);
    readTarget(form, parts);
    const open = scopesOf(client);
    if (open.length === 0) {
      throw new OAuthError("unauthorized_client", "The client may not ask for approval. Ask an administrator.");
    }
    // Every client that signs in by device gets a refresh token, also without offline_access.
    const scopes = grantable(readScopes(form).named ?? open, open);
    const bounds = readAuthorizationDetails(form, clock.now());
    const popKeyId = readKey(form, await readProof(context));
    const { oauthClientId } = client;
    const call = oauthCall(context, client);
    const address = clientAddress(context, parts);
    const name = deviceName(context.req.header("User-Agent"));
    const start = { tenantId, oauthClientId, address, name, renewable: true };
    const result = await operations.startDeviceAuthorization(
      {
        tenantId,
        oauthClientId,
        scopes,
        bounds,
        popPublicJwk: "",
        popKeyId,
        device: name === undefined ? address : `${name}, ${address}`,
        alsoCreated: ({ deviceCodeHash, createdAt, expiresAt }) =>
          deviceStarts.create({ ...start, deviceCodeHash, expiresAt }, createdAt),
      },
      call,
    );
    if (!result.ok) {
      throw new OAuthError("invalid_client", "The client is not registered, or disabled.", { status: 401 });
    }
    const { deviceCode, userCode, expiresInSeconds, intervalSeconds } = result;
    const verificationUri = `${origin}/device`;
    return context.json({
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: verificationUri,
      verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
      expires_in: expiresInSeconds,
      interval: intervalSeconds,
    });
  };
}
