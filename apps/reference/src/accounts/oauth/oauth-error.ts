import type { Context } from "hono";

/** The `error` of a response: RFC 6749 section 5.2, RFC 8628 section 3.5, RFC 8707 section 2, RFC 9449 sections 5 and 8. */
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
  | "invalid_dpop_proof"
  | "use_dpop_nonce"
  | "temporarily_unavailable"
  | "server_error";

export interface OAuthErrorOptions {
  /** The HTTP status. Default: 400. */
  readonly status?: 400 | 401 | 405 | 411 | 413 | 429 | 500 | 503;
  /** Further response headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** RFC 6749 section 5.1 requires both headers. */
export const noStoreHeaders = { "Cache-Control": "no-store", Pragma: "no-cache" };

/** A request to an OAuth endpoint that must be rejected. The description never contains a value of the request. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly status: NonNullable<OAuthErrorOptions["status"]>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: OAuthErrorCode,
    /** What happened and what to do, for a developer: visible ASCII without quotes and backslashes (RFC 6749 section 5.2). */
    description: string,
    { status = 400, headers = {} }: OAuthErrorOptions = {},
  ) {
    super(description);
    this.status = status;
    this.headers = headers;
  }
}

/** Returns an error as a response (RFC 6749 section 5.2). */
export function oauthErrorResponse(context: Context, { code, message, status, headers }: OAuthError) {
  const body = { error: code, error_description: message };
  return context.json(body, status, { ...noStoreHeaders, ...headers });
}
