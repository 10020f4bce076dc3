import type { Rate } from "@platform-rpc/server";
import type { MiddlewareHandler } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { clientAddress, networkOf } from "../http/client-address.js";
import { OAuthError } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";

/** Limits the requests of each network to an endpoint. */
export function rateLimit(parts: OAuthParts, rate: Rate): MiddlewareHandler<AccountsEnvironment> {
  return async (context, next) => {
    const key = `accounts${context.req.path} ${networkOf(clientAddress(context, parts))}`;
    const waitMs = (await parts.rateLimiter?.take(key, rate)) ?? 0;
    if (waitMs === 0) return next();
    const headers = { "Retry-After": String(Math.ceil(waitMs / 1000)) };
    throw new OAuthError("temporarily_unavailable", "Too many requests. Retry later.", { status: 429, headers });
  };
}
