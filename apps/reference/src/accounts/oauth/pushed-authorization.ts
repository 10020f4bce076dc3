import type { Context } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { readAuthorizationRequest, readRedirection } from "./authorization-request.js";
import type { FindClient } from "./find-client.js";
import { oauthCall } from "./oauth-call.js";
import { OAuthError } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import type { ReadProof } from "./proof-reader.js";
import { createPushedRequests, unopenedLifeMs } from "./pushed-requests.js";
import { readForm } from "./read-form.js";

/**
 * Creates the endpoint to which clients push authorization requests (RFC 9126 section 2). Everything is checked here, so that the
 * client learns of its mistakes; and again when a browser opens the request, because the client may have changed.
 */
export function createPushedAuthorizationEndpoint(
  parts: OAuthParts,
  { findClient, readProof }: { readonly findClient: FindClient; readonly readProof: ReadProof },
) {
  const requests = createPushedRequests(parts);
  return async (context: Context<AccountsEnvironment>) => {
    const form = await readForm(context);
    const client = await findClient(context, form);
    if (form.has("request_uri")) {
      throw new OAuthError(
        "invalid_request",
        "A pushed request contains the parameters themselves, not a request_uri.",
      );
    }
    readRedirection(form, client);
    const proofKeyId = await readProof(context);
    readAuthorizationRequest(form, client, proofKeyId, parts);
    const { oauthClientId } = client;
    const requestUri = await requests.push({ oauthClientId, form, proofKeyId }, oauthCall(context, client));
    return context.json({ request_uri: requestUri, expires_in: unopenedLifeMs / 1000 }, 201);
  };
}
