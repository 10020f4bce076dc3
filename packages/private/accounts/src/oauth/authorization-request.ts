import { type Bounds, findRedirection, type Redirection, type RegisteredOauthClient } from "@platform-rpc/server/host";
import { OAuthError } from "../http/oauth-error.js";
import { authorizationCodeType, readScope, refreshTokenType, scopesOf } from "../oauth-clients/grants.js";
import { readAuthorizationDetails } from "./authorization-details.js";
import { checkGrantType, type FoundClient } from "./find-client.js";
import { readTarget, type Target } from "./grant.js";
import type { OAuthParts } from "./oauth-parts.js";
import { invalidProof } from "./proof-reader.js";
import { type Form, required } from "./read-form.js";
import { grantable, readScopes } from "./scopes.js";

/** What a client asks a person to approve, checked. */
export interface AuthorizationRequest {
  /** Sorted, without duplicates; at least one. */
  readonly scopes: readonly string[];
  /** What the client limits itself to (RFC 9396). Undefined: nothing. */
  readonly bounds: Bounds | undefined;
  /** Whether the client gets a refresh token. */
  readonly refreshable: boolean;
  /** The S256 challenge of the code verifier (RFC 7636 section 4.2). */
  readonly codeChallenge: string;
  readonly target: Target;
  /**
   * `none`: without a page. `consent`: with a page, also if the same was approved before. `login`: after the person has proved again who
   * they are. `select_account`: after they have chosen an account. Empty: as the server decides.
   */
  readonly prompt: ReadonlySet<Prompt>;
  /** The RFC 7638 thumbprint of the key that the code is bound to; empty without one. */
  readonly popKeyId: string;
}

/** How a client can want the person to be asked (OpenID Connect Core section 3.1.2.1). */
export const promptValues = ["none", "login", "consent", "select_account"] as const;
export type Prompt = (typeof promptValues)[number];

/** The parameters of a request that mean something here. Others are ignored (RFC 6749 section 3.1). */
export const authorizationParameters = [
  "client_id",
  "redirect_uri",
  "state",
  "response_type",
  "response_mode",
  "code_challenge",
  "code_challenge_method",
  "scope",
  "resource",
  "authorization_details",
  "prompt",
  "dpop_jkt",
] as const;

/** The request is in the URL of the sign-in page, where it is encoded twice. */
const longestState = 2048;

/** The S256 challenge: a SHA-256 hash in base64url. A thumbprint of a key has the same form. */
const hashPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns where the response to a request goes (RFC 6749 section 3.1.2.3, RFC 9700 section 2.1). Nothing may be sent anywhere else.
 *
 * @throws OAuthError invalid_request if the client has not registered it.
 */
export function readRedirection(
  form: Form,
  { redirectUris, leftOut }: Pick<FoundClient, "redirectUris" | "leftOut">,
  { origin }: Pick<OAuthParts, "origin">,
): Redirection {
  const found = findRedirection(redirectUris, required(form, "redirect_uri"));
  // Cookies know no ports: the browser would send that of the person's session there, and passkeys would work there.
  if (found !== undefined && new URL(found.redirectUri).hostname === new URL(origin).hostname) {
    const description =
      "The redirect_uri has the host name of this server's pages. Use another one, such as 127.0.0.1.";
    throw new OAuthError("invalid_request", description);
  }
  if (found !== undefined) return found;
  const description =
    "The redirect_uri is not one that the client has registered. Only the port of a loopback address may differ.";
  throw new OAuthError(
    "invalid_request",
    [description, ...leftOut.map((rule) => `In its document, ${rule}.`)].join(" "),
  );
}

/**
 * Checks everything of an authorization request but its client and its redirect URI.
 *
 * @param proofKeyId the thumbprint of the key that the request has proved; empty without a proof.
 * @throws OAuthError unauthorized_client, and the errors of RFC 6749 section 4.1.2.1, RFC 7636 section 4.4.1, RFC 8707 section 2,
 * RFC 9396 section 5, RFC 9449 section 10.
 */
export function readAuthorizationRequest(
  form: Form,
  client: RegisteredOauthClient,
  proofKeyId: string,
  parts: OAuthParts,
): AuthorizationRequest {
  checkGrantType(client, authorizationCodeType);
  if (form.has("request")) {
    throw new OAuthError("request_not_supported", "Request objects are not supported. Push the request instead.");
  }
  if (required(form, "response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", "The only response_type is code.");
  }
  if ((form.get("response_mode") ?? "query") !== "query") {
    throw new OAuthError("invalid_request", "The only response_mode is query.");
  }
  if (encodeURIComponent(form.get("state") ?? "").length > longestState) {
    throw new OAuthError("invalid_request", `The state is longer than ${longestState} characters in a URL.`);
  }
  const codeChallenge = required(form, "code_challenge");
  if (form.get("code_challenge_method") !== "S256" || !hashPattern.test(codeChallenge)) {
    const description = "Send the code_challenge_method S256, and as code_challenge a SHA-256 hash in base64url.";
    throw new OAuthError("invalid_request", description);
  }
  const target = readTarget(form, parts);
  const popKeyId = readKey(form, proofKeyId);
  const { named = [readScope], offline } = readScopes(form);
  const refreshable = offline || client.grantTypes.includes(refreshTokenType);
  const scopes = grantable(named, scopesOf(client));
  const bounds = readAuthorizationDetails(form, parts.clock.now());
  return { scopes, bounds, refreshable, codeChallenge, target: target ?? "api", prompt: readPrompt(form), popKeyId };
}

/** Returns how the person is asked. @throws OAuthError */
function readPrompt(form: Form): ReadonlySet<Prompt> {
  const asked = new Set((form.get("prompt") ?? "").split(" ").filter((value) => value !== ""));
  const known = promptValues.filter((value) => asked.has(value));
  if (known.length < asked.size || (asked.has("none") && asked.size > 1)) {
    const description = "The prompt must be none alone, or some of login, consent and select_account, or absent.";
    throw new OAuthError("invalid_request", description);
  }
  return new Set(known);
}

/** Returns the thumbprint of the key that the request is bound to (RFC 9449 section 10); empty without one. @throws OAuthError */
export function readKey(form: Form, proofKeyId: string): string {
  const named = form.get("dpop_jkt") ?? proofKeyId;
  if (named !== "" && !hashPattern.test(named)) {
    throw new OAuthError("invalid_request", "dpop_jkt is not the SHA-256 thumbprint of a key, in base64url.");
  }
  if (proofKeyId === "" || named === proofKeyId) return named;
  throw invalidProof("dpop_jkt names a key other than that of the DPoP proof.");
}
