import type { MiddlewareHandler } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { callOf } from "../http/call-of.js";
import { readSecret } from "./session-cookie.js";
import { createSessionStore } from "./session-store.js";

/** Finds the session of the request's cookie, and puts it into the context. */
export function loadSession(parts: AccountsParts): MiddlewareHandler<AccountsEnvironment> {
  const sessions = createSessionStore(parts);
  return async (context, next) => {
    const token = readSecret(context, "session");
    const call = callOf(context, "session", { tenantId: parts.tenantId, principalId: "" });
    context.set("session", token === undefined ? undefined : await sessions.find(token, call));
    await next();
  };
}
