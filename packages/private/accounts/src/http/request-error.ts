import type { Context } from "hono";
import { messagePage, type PageStatus } from "../pages/layout.js";
import type { AccountsEnvironment } from "./environment.js";
import { isOAuthEndpoint, OAuthError, type OAuthErrorCode, oauthErrorResponse } from "./oauth-error.js";
import { letPagesRead } from "./open-to-pages.js";

/** What can be wrong with a request to any path. */
interface Failure {
  readonly status: PageStatus & OAuthError["status"];
  readonly error: OAuthErrorCode;
  /** The heading of the page. */
  readonly title: string;
  /** What to do. Visible ASCII without quotes and backslashes, because it may become an `error_description`. */
  readonly message: string;
  /** What a page tells the person. Default: what to do, and in a script of a page the title before it. */
  readonly forPerson?: string;
}

const failures = {
  NOT_FOUND: {
    status: 404,
    error: "invalid_request",
    title: "Not found",
    message: "Check the address.",
    forPerson: "This server has nothing at this address. Check the address, or reload the page and try again.",
  },
  TOKEN_IN_QUERY: {
    status: 400,
    error: "invalid_request",
    title: "A token or code in the URL",
    message: "URLs are logged. Revoke it, and send another one in the Authorization header.",
  },
  CROSS_ORIGIN: {
    status: 403,
    error: "invalid_request",
    title: "Not allowed",
    message: "The request did not come from a page of this server. Open that page, and try again there.",
  },
  PREFETCH: {
    status: 403,
    error: "invalid_request",
    title: "Not loaded in advance",
    message: "Open the page itself.",
  },
  REQUEST_TOO_LARGE: {
    status: 413,
    error: "invalid_request",
    title: "The body is too large",
    message: "Send a smaller one.",
    forPerson: "The page sent a request that is too large. Reload the page, and try again.",
  },
  WRONG_HOST: {
    status: 421,
    error: "invalid_request",
    title: "Wrong host",
    message: "Use the host name of this server in the URL.",
  },
  RATE_LIMITED: {
    status: 429,
    error: "temporarily_unavailable",
    title: "Too many requests",
    message: "Wait until the time in Retry-After, and try again.",
    forPerson: "Too many requests from your network or your account. Wait a few minutes, and try again.",
  },
  INTERNAL: { status: 500, error: "server_error", title: "The server failed", message: "Try again later." },
  UNAVAILABLE: {
    status: 503,
    error: "temporarily_unavailable",
    title: "Not available",
    message: "Try again in a minute. Check first whether your last change was made.",
  },
} as const satisfies Readonly<Record<string, Failure>>;

export type RequestFailure = keyof typeof failures;

export interface RequestErrorOptions {
  /** What to do. Default: that of the reason. */
  readonly message?: string;
  /** When the request may be repeated, in milliseconds. Default: unknown; 1,000 for UNAVAILABLE, as in the contract. */
  readonly waitMs?: number;
}

/** A request that fails for a reason that does not depend on its route. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly reason: RequestFailure;
  readonly waitMs: number | undefined;

  constructor(reason: RequestFailure, { message = failures[reason].message, waitMs }: RequestErrorOptions = {}) {
    super(message);
    this.reason = reason;
    this.waitMs = waitMs ?? (reason === "UNAVAILABLE" ? 1000 : undefined);
  }
}

/** Returns the HTTP status of a failure, and what happened and what to do. Failures of the server contain the request id. */
export function describeFailure({ reason, message }: RequestError, requestId: string) {
  const { status, title }: Failure = failures[reason];
  const whatToDo = status < 500 ? message : `${message} Request id: ${requestId}`;
  return { status, title, whatToDo, whole: `${title}. ${whatToDo}` };
}

/**
 * Responds to a request that failed in the form that callers of its path expect: the error of OAuth, `{reason, message}` for the scripts
 * of pages, and otherwise a page, or plain text for a caller that is not a browser. Failures of the server contain the request id.
 */
export function failureResponse(context: Context<AccountsEnvironment>, failed: RequestError) {
  const { reason, waitMs } = failed;
  const { error, forPerson }: Failure = failures[reason];
  const { status, title, whatToDo, whole } = describeFailure(failed, context.get("requestId"));
  const { path } = context.req;
  if (waitMs !== undefined) context.header("Retry-After", String(Math.ceil(waitMs / 1000)));
  if (isOAuthEndpoint(path)) {
    // For failures before the middleware that lets pages of any origin read a response.
    letPagesRead(context);
    return oauthErrorResponse(context, new OAuthError(error, whole, { status }));
  }
  context.header("Cache-Control", "no-store");
  if (/^\/account\/api(?:\/|$)/.test(path)) return context.json({ reason, message: forPerson ?? whole }, status);
  const { message } = failed;
  const support = { reason, message: forPerson === undefined ? undefined : message };
  return messagePage(context, status, { title, words: forPerson ?? message, text: whatToDo, support });
}
