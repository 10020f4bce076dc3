import type { Context } from "hono";

/**
 * The `error` of a response: RFC 6749 sections 4.1.2.1 and 5.2, RFC 8628 section 3.5, RFC 8707 section 2, RFC 9396 section 5,
 * RFC 9449 sections 5 and 8, OpenID Connect Core sections 3.1.2.6 and 6.
 */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "invalid_scope"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_target"
  | "invalid_authorization_details"
  | "invalid_dpop_proof"
  | "use_dpop_nonce"
  | "login_required"
  | "consent_required"
  | "request_not_supported"
  | "temporarily_unavailable"
  | "server_error";

interface OAuthErrorOptions {
  /** The HTTP status. Default: 400. */
  readonly status?: 400 | 401 | 403 | 404 | 405 | 413 | 421 | 429 | 500 | 503;
  /** Further response headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request to an OAuth endpoint that must be rejected. The description never contains a value of the request. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;
  readonly status: NonNullable<OAuthErrorOptions["status"]>;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param description what happened and what to do, for a developer: visible ASCII without quotes and backslashes (RFC 6749 section 5.2)
   */
  constructor(code: OAuthErrorCode, description: string, { status = 400, headers = {} }: OAuthErrorOptions = {}) {
    super(description);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

/** The headers of every response with tokens, and of errors (RFC 6749 sections 5.1 and 5.2). */
export const noStoreHeaders = { "Cache-Control": "no-store", Pragma: "no-cache" };

/** Returns an error as a response (RFC 6749 section 5.2). */
export function oauthErrorResponse(context: Context, { code, message, status, headers }: OAuthError) {
  return context.json({ error: code, error_description: message }, status, { ...noStoreHeaders, ...headers });
}

/** The path of the authorization endpoint, where people decide: its answers are pages. */
export const authorizePath = "/oauth/authorize";
