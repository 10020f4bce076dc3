import type { RejectedPath } from "@platform-rpc/front";
import { rpcError } from "@platform-rpc/server";
import { errorBody } from "@platform-rpc/server/host";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import type { Context } from "hono";
import { messagePage } from "../pages/layout.js";
import type { AccountsEnvironment } from "./environment.js";
import { noStoreHeaders, type OAuthErrorCode } from "./oauth-error.js";
import { letPagesRead } from "./open-to-pages.js";
import { type Failure, failures, type RequestError } from "./request-error.js";

/** Who reads the errors of a route: a person, a script of a page, a client of OAuth, of MCP, or of the member API. */
export type ErrorForm = "page" | "api" | "oauth" | "json-rpc" | "rpc";

/** The start of the paths of the operations of members. */
export const memberPaths = `/${MemberVaultService.typeName.replace(/[^.]+$/, "")}`;

/** The forms of the accounts origin, by paths: the first that matches. All others are pages. */
const forms: readonly (readonly [path: RegExp, form: ErrorForm])[] = [
  // Where people decide.
  [/^\/oauth\/authorize$/, "page"],
  // Also where clients look for documents and endpoints that there are not, such as that of dynamic registration (RFC 7591).
  [/^\/(?:oauth|\.well-known|register)(?:\/|$)/, "oauth"],
  [/^\/account\/api(?:\/|$)/, "api"],
  [new RegExp(`^${memberPaths}`), "rpc"],
];

export function formOf(path: string): ErrorForm {
  return forms.find(([pattern]) => pattern.test(path))?.[1] ?? "page";
}

/** The errors of OAuth that are not about the request. */
const oauthErrors: Readonly<Record<string, OAuthErrorCode>> = {
  RATE_LIMITED: "temporarily_unavailable",
  UNAVAILABLE: "temporarily_unavailable",
  INTERNAL: "server_error",
};

const bodies = {
  api: (reason: string, message: string) => ({ reason, message }),
  oauth: (reason: string, message: string) => ({
    error: oauthErrors[reason] ?? "invalid_request",
    error_description: message,
  }),
  "json-rpc": (_: string, message: string) => jsonRpcError(message),
};

/** Returns the error of a request whose message was not read (JSON-RPC 2.0 section 5). */
export function jsonRpcError(message: string) {
  return { jsonrpc: "2.0", error: { code: -32_000, message }, id: null };
}

/** Returns the body of the response to a request that the listener itself rejects. Undefined: plain text. */
export function rejectionJson(form: ErrorForm, { reason, message, requestId, retryAfterMs }: RejectedPath) {
  if (form === "page") return undefined;
  if (form !== "rpc") return bodies[form](reason, message);
  return JSON.parse(errorBody(rpcError(reason, retryAfterMs === undefined ? {} : { retryAfterMs }), requestId));
}

/**
 * Responds to a request that failed. A page becomes plain text for a caller that is not a browser. Pages of any origin can read the errors of
 * OAuth and MCP, also before the middleware that lets them.
 */
export function failureResponse(context: Context<AccountsEnvironment>, failed: RequestError, form: ErrorForm) {
  const { reason, waitMs, message } = failed;
  const { status, title, forPerson }: Failure = failures[reason];
  // Of a failure of the server, an operator needs to know which request it was.
  const whatToDo = status < 500 ? message : `${message} Request id: ${context.get("requestId")}`;
  const whole = title === undefined ? message : `${title}. ${whatToDo}`;
  if (waitMs !== undefined) context.header("Retry-After", String(Math.ceil(waitMs / 1000)));
  if (form === "oauth" || form === "json-rpc") {
    letPagesRead(context);
    return context.json(bodies[form](reason, whole), status, form === "oauth" ? noStoreHeaders : {});
  }
  if (form === "api") return context.json(bodies.api(reason, forPerson ?? whole), status);
  const support = { reason, message: forPerson === undefined ? undefined : message };
  return messagePage(context, status, {
    title: title ?? "Not possible",
    words: forPerson ?? message,
    text: whatToDo,
    support,
  });
}
