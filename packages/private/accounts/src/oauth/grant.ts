import { isSameResource, type RefreshableGrant, vaultDetailOf } from "@platform-rpc/server/host";
import type { Context } from "hono";
import type { AccountsEnvironment } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";
import { offlineAccess } from "../oauth-clients/grants.js";
import type { OAuthParts } from "./oauth-parts.js";
import type { Form } from "./read-form.js";

/** A request for tokens, whose client and proof were checked. */
export interface GrantRequest {
  readonly context: Context<AccountsEnvironment>;
  readonly form: Form;
  readonly oauthClientId: string;
  /** The thumbprint of the key that the caller has proved to have; empty without a proof. */
  readonly proofKeyId: string;
  /** What the tokens are wanted for; undefined if the request does not name it. */
  readonly target: Target | undefined;
}

/** What the access token of a response is for. Stored with an approval, because URLs may change. */
export type Target = "api" | "broker" | "mcp";

/**
 * Returns what a token, or a code, is requested for (RFC 8707); undefined without a `resource`. The API is named by its audience, or by
 * its URL, which is the `resource` of its metadata (RFC 9728), the MCP server by its URL; each also with one slash more or less. Software
 * that a hostile API has sent here names that API, and gets nothing.
 *
 * A device code does not remember its resource: the only API is this one, the broker acts for its people, and a token request names
 * again which of the two its token is for. An authorization code, and its refresh tokens, are for one of them. Only an authorization code
 * is for the MCP server.
 *
 * @throws OAuthError invalid_target for any other resource.
 */
export function readTarget(form: Form, { audience, brokerAudience, apiUrl, mcp }: OAuthParts): Target | undefined {
  const resource = form.get("resource");
  if (resource === undefined) return undefined;
  const mcpUrl = mcp?.url;
  if (isSameResource(resource, brokerAudience)) return "broker";
  if (mcpUrl !== undefined && isSameResource(resource, mcpUrl)) return "mcp";
  if ([audience, apiUrl].some((name) => isSameResource(resource, name))) return "api";
  throw new OAuthError(
    "invalid_target",
    "Tokens are not issued for this resource. Name the API, the broker, the MCP server, or none.",
  );
}

/** Returns what the tokens of an approval are for. */
export function targetOf({ resource }: { readonly resource: string | undefined }): Target {
  return resource === "broker" || resource === "mcp" ? resource : "api";
}

/** Creates the error for a code or refresh token that was approved for another resource (RFC 8707 section 2.2). */
export function wrongTarget(): OAuthError {
  const description =
    "The person has approved access to another resource. Name that one, or start a new authorization.";
  return new OAuthError("invalid_target", description);
}

/**
 * Returns the body of a successful token response (RFC 6749 section 5.1, RFC 9396 section 7). `scope` is what was granted, whatever was
 * asked. With each refresh token, it contains `offline_access`, also if that was not asked: it says that the client got one.
 *
 * The API and the MCP server accept their tokens as Bearer, also if the refresh token is bound to a key (RFC 9449 section 5). A broker
 * token that is bound to a key is of the type DPoP.
 */
export async function tokenResponse(
  { clock, mcp, platform }: Pick<OAuthParts, "clock" | "mcp" | "platform">,
  { grant, refreshToken }: Pick<RefreshableGrant, "grant"> & { readonly refreshToken: string | undefined },
  target: Target,
) {
  const { tokenIssuer } = platform;
  const tokenFor = {
    api: () => tokenIssuer.signAccessToken(grant),
    broker: () => tokenIssuer.signBrokerToken(grant),
    mcp: () => mcp?.signAccessToken(grant),
  };
  const access_token = await tokenFor[target]();
  // The approval is for an MCP server that this process does not have.
  if (access_token === undefined) throw wrongTarget();
  const bound = target === "broker" && grant.popKeyId !== "";
  return {
    access_token,
    token_type: bound ? "DPoP" : "Bearer",
    expires_in: Math.max(0, grant.expiresAt - Math.floor(clock.now() / 1000)),
    scope: [...grant.scopes, ...(refreshToken === undefined ? [] : [offlineAccess])].join(" "),
    refresh_token: refreshToken,
    ...(grant.delegation && { authorization_details: [vaultDetailOf(grant.delegation.bounds)] }),
  };
}

const idempotencyKeyPattern = /^[\x21-\x7e]{16,128}$/;

/**
 * Returns what identifies a retry, so that a lost response can be fetched again for a minute: the key that the caller proves to
 * have. A caller without a key can send an Idempotency-Key, like those of the API. Without either, a second request with the code
 * gets nothing: anyone who has seen the first one could send it.
 */
export function retryKey(context: Context<AccountsEnvironment>, proofKeyId: string): string | undefined {
  if (proofKeyId !== "") return `dpop ${proofKeyId}`;
  const sent = context.req.header("Idempotency-Key");
  if (sent === undefined || idempotencyKeyPattern.test(sent)) return sent;
  throw new OAuthError("invalid_request", "The Idempotency-Key header must be 16 to 128 visible ASCII characters.");
}
