import type { RegisteredOauthClient } from "@platform-rpc/server";
import type { Context } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { documentedClientId, isDocumentedClientId } from "./client-metadata/client-documents.js";
import { isClientUrl } from "./client-metadata/fetch-document.js";
import { OAuthError } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import { type Form, required } from "./read-form.js";

/** The ids of this platform. Anything else is not looked up. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/**
 * Returns the registered and enabled OAuth client of a request. OAuth clients are public: they have no secret, so a `client_id`
 * identifies the caller, but proves nothing.
 *
 * @param unregistered a client that is not registered, or the error for it. Default: invalid_client.
 * @throws OAuthError invalid_request, invalid_client.
 */
export async function readClient(
  context: Context<AccountsEnvironment>,
  form: Form,
  { own, tenantId, clientIdMetadata }: Pick<OAuthParts, "own" | "tenantId" | "clientIdMetadata">,
  unregistered?: OAuthError | RegisteredOauthClient,
): Promise<RegisteredOauthClient> {
  if (context.req.header("Authorization") !== undefined) {
    const description = "Clients do not authenticate here. Send client_id in the body, and no Authorization header.";
    throw new OAuthError("invalid_client", description, { status: 401, headers: { "WWW-Authenticate": "Basic" } });
  }
  if (form.has("client_secret") || form.has("client_assertion")) {
    throw invalidClient("Clients do not authenticate here. Send client_id alone.");
  }
  const clientId = required(form, "client_id");
  if (clientIdMetadata && clientId.includes("://") && !isClientUrl(clientId)) {
    throw invalidClient(
      "A client_id that is a URL must be https, with a host name that has a dot, and a path, but no port, query or fragment.",
    );
  }
  const oauthClientId = clientIdMetadata && isClientUrl(clientId) ? documentedClientId(clientId) : clientId;
  // Only its URL names such a client: without it, nobody would read the document, and the person would not see whose it is.
  const mayBeKnown = idPattern.test(oauthClientId) && !isDocumentedClientId(clientId);
  const known = mayBeKnown ? await own.getOauthClient({ tenantId, oauthClientId }) : undefined;
  if (known?.enabled === true) return known;
  if (known !== undefined || unregistered === undefined) {
    throw invalidClient("The client is not registered, or disabled. Ask an administrator to register it.");
  }
  if (unregistered instanceof OAuthError) throw unregistered;
  return unregistered;
}

/** Creates the error for a client that is unknown, disabled, or not authenticated. */
export function invalidClient(description: string): OAuthError {
  return new OAuthError("invalid_client", description, { status: 401 });
}
