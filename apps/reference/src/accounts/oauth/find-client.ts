import { networkOf } from "@platform-rpc/front";
import type { RegisteredOauthClient } from "@platform-rpc/server";
import type { Context } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { consoleClientId } from "../first-party-clients.js";
import { clientAddress } from "../http/client-address.js";
import { createClientDocuments, documentedClientId } from "./client-metadata/client-documents.js";
import { DocumentError, toOAuthError } from "./client-metadata/document-error.js";
import { isClientUrl } from "./client-metadata/fetch-document.js";
import { oauthCall } from "./oauth-call.js";
import { OAuthError } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import { readClient } from "./public-client.js";
import type { Form } from "./read-form.js";

/**
 * Returns the client that asks for an approval. Registers it first if its id is the URL of its metadata document.
 *
 * @param options.stores whether a new client is registered. Otherwise it is only returned. Default: true.
 * @throws OAuthError as `readClient`, and for a metadata document that cannot be read.
 */
export type FindClient = (
  context: Context<AccountsEnvironment>,
  form: Form,
  options?: { readonly stores?: boolean },
) => Promise<RegisteredOauthClient>;

/** Creates the function. All endpoints share it, because it remembers the metadata documents. */
export function createFindClient(parts: OAuthParts): FindClient {
  const { tenantId } = parts;
  const registerByDocument = createClientDocuments(parts);

  /** Returns the client that is not registered, or the error for it. */
  async function register(url: string, context: Context<AccountsEnvironment>, stores: boolean) {
    if (!parts.clientIdMetadata || !isClientUrl(url)) return undefined;
    const call = oauthCall(context, { tenantId, oauthClientId: documentedClientId(url) });
    const network = networkOf(clientAddress(context, parts));
    const found = await registerByDocument(url, { network, stores }, call);
    return found instanceof DocumentError ? toOAuthError(found) : found;
  }

  return async (context, form, { stores = true } = {}) => {
    const unregistered = await register(form.get("client_id") ?? "", context, stores);
    return readClient(context, form, parts, unregistered);
  };
}

/**
 * Checks that a client is registered for a grant type. One that lists none may use each.
 *
 * @throws OAuthError unauthorized_client
 */
export function checkGrantType({ oauthClientId, grantTypes }: RegisteredOauthClient, grantType: string): void {
  // The console gets its tokens from the session of the browser. Nothing else may ask for approval in its name.
  const allowed = grantTypes.length === 0 || grantTypes.includes(grantType);
  if (allowed && oauthClientId !== consoleClientId) return;
  throw new OAuthError(
    "unauthorized_client",
    "The client is not registered for this grant. Change its registration, or its metadata document.",
  );
}
