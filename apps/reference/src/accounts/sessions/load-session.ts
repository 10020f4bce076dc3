import type { MiddlewareHandler } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { callOf } from "../http/call-of.js";
import { readSecret } from "./session-cookie.js";
import { createSessionStore } from "./session-store.js";

/**
 * Finds the session of the request's cookie, and puts it into the context. The request extends the session, unless its header says that a
 * page sent it while nobody used it.
 */
export function loadSession(parts: AccountsParts): MiddlewareHandler<AccountsEnvironment> {
  const sessions = createSessionStore(parts);
  return async (context, next) => {
    const token = readSecret(context, "session");
    const call = callOf(context, "session", { tenantId: parts.tenantId, principalId: "" });
    const extend = context.req.header("X-Person-Active") !== "no";
    context.set("session", token === undefined ? undefined : await sessions.find(token, { extend }, call));
    await next();
  };
}
