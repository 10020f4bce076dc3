import { networkOf } from "@platform-rpc/front";
import type { Context } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { rememberDeviceStart } from "../device/device-start.js";
import { consoleClientId } from "../first-party-clients.js";
import { clientAddress } from "../http/client-address.js";
import { createClientDocuments, documentedClientId } from "./client-metadata/client-documents.js";
import { toOAuthError } from "./client-metadata/document-error.js";
import { isClientUrl } from "./client-metadata/fetch-document.js";
import { oauthCall } from "./oauth-call.js";
import { OAuthError } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import { invalidProof, type ReadProof } from "./proof-reader.js";
import { readClient } from "./public-client.js";
import { type Form, readForm } from "./read-form.js";
import { readScopes, scopesOf } from "./scopes.js";
import { readTarget } from "./target.js";

/**
 * Creates the device authorization endpoint (RFC 8628 section 3.1). A DPoP proof, or `dpop_jkt`, binds the code and all of its tokens
 * to a key, as for other authorization requests (RFC 9449 section 10).
 */
export function createDeviceAuthorizationEndpoint(parts: OAuthParts, readProof: ReadProof) {
  const { operations, origin, tenantId } = parts;
  const registerByDocument = createClientDocuments(parts);

  /** Registers the client if its id is the URL of its metadata document. Returns the error for a client that is not registered. */
  async function register(url: string, context: Context<AccountsEnvironment>): Promise<OAuthError | undefined> {
    if (!parts.clientIdMetadata || !isClientUrl(url)) return undefined;
    const call = oauthCall(context, { tenantId, oauthClientId: documentedClientId(url) });
    const problem = await registerByDocument(url, networkOf(clientAddress(context, parts)), call);
    return problem && toOAuthError(problem);
  }

  return async (context: Context<AccountsEnvironment>) => {
    const form = await readForm(context);
    const problem = await register(form.get("client_id") ?? "", context);
    const client = await readClient(context, form, parts, problem);
    readTarget(form, parts);
    const open = scopesOf(client);
    // The console gets its tokens from the session of the browser. Nothing else may ask for approval in its name.
    if (open.length === 0 || client.oauthClientId === consoleClientId) {
      throw new OAuthError("unauthorized_client", "The client may not ask for approval. Ask an administrator.");
    }
    const scopes = readScopes(form) ?? open;
    if (!scopes.every((scope) => open.includes(scope))) {
      throw new OAuthError("invalid_scope", "A scope is unknown, or the client may not have it.");
    }
    const popKeyId = keyOf(form, await readProof(context));
    const { oauthClientId } = client;
    const call = oauthCall(context, client);
    const wanted = { tenantId, oauthClientId, scopes, popPublicJwk: "", popKeyId };
    const result = await operations.startDeviceAuthorization(wanted, call);
    if (!result.ok) {
      if (result.reason === "POP_KEY_INVALID") {
        throw new OAuthError("invalid_request", "dpop_jkt is not the SHA-256 thumbprint of a key, in base64url.");
      }
      throw new OAuthError("invalid_client", "The client is not registered, or disabled.", { status: 401 });
    }
    const { deviceCode, userCode, expiresInSeconds, intervalSeconds, authorization } = result;
    const address = clientAddress(context, parts);
    await rememberDeviceStart(parts, authorization, { address, renewable: true }, call);
    const verificationUri = `${origin()}/device`;
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

/** Returns the thumbprint of the key that the code is bound to; empty without one. */
function keyOf(form: Form, proofKeyId: string): string {
  const named = form.get("dpop_jkt");
  if (named === undefined || proofKeyId === "") return named ?? proofKeyId;
  if (named === proofKeyId) return named;
  throw invalidProof("dpop_jkt names a key other than that of the DPoP proof.");
}
