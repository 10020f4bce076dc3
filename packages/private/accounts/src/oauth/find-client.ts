import { networkOf } from "@platform-rpc/front";
import type { RegisteredOauthClient } from "@platform-rpc/server/host";
import type { Context } from "hono";
import { oauthCall } from "../http/call-of.js";
import { clientAddress } from "../http/client-address.js";
import type { AccountsEnvironment } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";
import {
  createClientDocuments,
  documentedClientId,
  isDocumentedClientId,
  type Stores,
} from "../oauth-clients/client-documents.js";
import { DocumentError, toOAuthError } from "../oauth-clients/document-error.js";
import { isClientUrl } from "../oauth-clients/fetch-document.js";
import { consoleClientId } from "../oauth-clients/first-party-clients.js";
import type { OAuthParts } from "./oauth-parts.js";
import { type Form, required } from "./read-form.js";

/** The client that asks for an approval. */
export interface FoundClient extends RegisteredOauthClient {
  /** What was left out of its metadata document, each with the reason. */
  readonly leftOut: readonly string[];
}

/**
 * Returns the client that asks for an approval. Reads its metadata document first if its id is the URL of one.
 *
 * @param options.stores whether a client that no person has approved is stored. Default: nothing.
 * @throws OAuthError as `readClient`, and for a metadata document that cannot be read.
 */
export type FindClient = (
  context: Context<AccountsEnvironment>,
  form: Form,
  options?: { readonly stores?: Stores },
) => Promise<FoundClient>;

/** Creates the function. All endpoints share it, because it remembers the metadata documents. */
export function createFindClient(parts: OAuthParts): FindClient {
  const { tenantId } = parts;
  const registerByDocument = createClientDocuments(parts);

  /** Registers a client by its document. Returns the client that is not registered, or the error for it, and what was left out. */
  async function register(url: string, context: Context<AccountsEnvironment>, stores: Stores) {
    if (!parts.clientIdMetadata || !isClientUrl(url)) return { unregistered: undefined, leftOut: [] };
    const call = oauthCall(context, { tenantId, oauthClientId: documentedClientId(url) });
    const network = networkOf(clientAddress(context, parts));
    const found = await registerByDocument(url, { network, stores }, call);
    return found instanceof DocumentError ? { unregistered: toOAuthError(found), leftOut: [] } : found;
  }

  return async (context, form, { stores = "nothing" } = {}) => {
    const { unregistered, leftOut } = await register(form.get("client_id") ?? "", context, stores);
    return { ...(await readClient(context, form, parts, unregistered)), leftOut };
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

/** The ids of this platform. Anything else is not looked up. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/**
 * Returns the registered and enabled OAuth client of a request. OAuth clients are public: they have no secret, so a `client_id`
 * identifies the caller, but proves nothing.
 *
 * @param unregistered a client that is not registered, or the error for one that is not. Default: invalid_client.
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
  if (unregistered !== undefined && !(unregistered instanceof OAuthError)) return unregistered;
  const clientId = required(form, "client_id");
  if (clientIdMetadata && clientId.includes("://") && !isClientUrl(clientId)) {
    throw invalidClient(
      "A client_id that is a URL must be https, with a host name in lower case that has a dot, and a path, but no fragment or user name.",
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
  throw unregistered;
}

/** Creates the error for a client that is unknown, disabled, or not authenticated. */
export function invalidClient(description: string): OAuthError {
  return new OAuthError("invalid_client", description, { status: 401 });
}
