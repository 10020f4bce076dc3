import type { Context } from "hono";
import { OAuthError, oauthErrorResponse } from "../oauth/oauth-error.js";
import { messagePage } from "../pages/message-page.js";
import { apiError } from "./api-error.js";

const refusals = {
  RATE_LIMITED: {
    status: 429,
    title: "Too many requests",
    advice: "Wait until the time in Retry-After, and try again.",
    oauth: "temporarily_unavailable",
  },
  REQUEST_TOO_LARGE: {
    status: 413,
    title: "The body is too large",
    advice: "Send a smaller one.",
    oauth: "invalid_request",
  },
  LENGTH_REQUIRED: {
    status: 411,
    title: "The size of the body is unknown",
    advice: "Send a Content-Length header.",
    oauth: "invalid_request",
  },
} as const;

/** Why a request is rejected before its route sees it. */
export type Refusal = keyof typeof refusals;

/**
 * Rejects a request in the form that its caller reads: an error of OAuth, JSON for the scripts of the pages, and a page or text for
 * everybody else.
 *
 * @param waitMs when the request may be repeated, in milliseconds
 */
export function refuse(context: Context, refusal: Refusal, waitMs?: number): Response | Promise<Response> {
  const { status, title, advice, oauth } = refusals[refusal];
  if (waitMs !== undefined) context.header("Retry-After", String(Math.ceil(waitMs / 1000)));
  const { path } = context.req;
  if (path.startsWith("/account/api/")) return apiError(context, refusal);
  if (!/^\/(?:oauth|\.well-known)\//.test(path)) return messagePage(context, status, title, advice);
  // The middleware that lets pages of any origin read a response comes later.
  context.header("Access-Control-Allow-Origin", "*");
  context.header("Access-Control-Expose-Headers", "Retry-After, X-Request-Id");
  return oauthErrorResponse(context, new OAuthError(oauth, `${title}. ${advice}`, { status }));
}
