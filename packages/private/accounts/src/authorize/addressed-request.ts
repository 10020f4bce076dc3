import type { RecordPut, RegisteredOauthClient } from "@platform-rpc/server/host";
import type { Context } from "hono";
import { oauthCall } from "../http/call-of.js";
import type { AccountsEnvironment } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";
import { readRedirection } from "../oauth/authorization-request.js";
import type { FindClient, FoundClient } from "../oauth/find-client.js";
import type { OAuthParts } from "../oauth/oauth-parts.js";
import { createPushedRequests } from "../oauth/pushed-requests.js";
import { type Form, readParameters } from "../oauth/read-form.js";
import type { Recipient } from "./authorization-response.js";

/** An authorization request whose client and redirect URI are known: every answer goes to the client. */
export interface AddressedRequest {
  readonly client: FoundClient;
  readonly to: Recipient;
  readonly registered: string;
  readonly form: Form;
  readonly problem: OAuthError | undefined;
  readonly proofKeyId: string;
  /** When the request was pushed, in milliseconds since the epoch. Undefined: it was not. */
  readonly pushedAt: number | undefined;
  /** The write that uses up a pushed request. Undefined: the request was not pushed. */
  readonly taking: RecordPut | undefined;
}

/** Finds out to whom the answer to a request goes. @throws OAuthError: nobody must be redirected. */
export type FindRecipient = (context: Context<AccountsEnvironment>) => Promise<AddressedRequest>;

/** The error for a pushed request that another window has answered, also at the same time. Nobody must be redirected. */
export const answeredAlready = new OAuthError(
  "invalid_request",
  "It was answered already, perhaps in another window, or has expired. If it was approved and you do not want that, remove its access on Agents & apps. Otherwise, go back to the program that sent you here.",
);

export function createFindRecipient(parts: OAuthParts, findClient: FindClient): FindRecipient {
  const pushed = createPushedRequests(parts);
  return async (context) => {
    const { form, problem } = readParameters(new URL(context.req.url).search);
    if (problem !== undefined && !(form.has("client_id") && (form.has("redirect_uri") || form.has("request_uri")))) {
      throw problem;
    }
    const client = await findClient(context, form);
    const requestUri = form.get("request_uri");
    if (requestUri === undefined) {
      const unpushed = { proofKeyId: "", pushedAt: undefined, taking: undefined };
      return addressed(parts, client, { form, problem: problem ?? mustPush(client), ...unpushed });
    }
    const { oauthClientId } = client;
    const opened = await pushed.open({ oauthClientId, requestUri }, oauthCall(context, client));
    if (opened !== undefined) return addressed(parts, client, { ...opened, problem: undefined });
    throw answeredAlready;
  };
}

/** @throws OAuthError if the redirect URI is not one of the client. */
function addressed(
  parts: OAuthParts,
  client: FoundClient,
  asked: Pick<AddressedRequest, "form" | "problem" | "proofKeyId" | "pushedAt" | "taking">,
): AddressedRequest {
  const { redirectUri, registered } = readRedirection(asked.form, client, parts);
  return { ...asked, client, registered, to: { redirectUri, state: asked.form.get("state") } };
}

/** Returns the error for a client that is registered to push every request (RFC 9126 section 6), and has not. */
function mustPush({
  requirePushedAuthorizationRequests,
}: Pick<RegisteredOauthClient, "requirePushedAuthorizationRequests">): OAuthError | undefined {
  if (!requirePushedAuthorizationRequests) return undefined;
  return new OAuthError("invalid_request", "The client must push its requests. Send this one to /oauth/par first.");
}
