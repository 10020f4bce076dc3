import { networkOf } from "@platform-rpc/front";
import { createRateLimiter } from "@platform-rpc/server/host";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { RouterRoute } from "hono/types";
import { boundBody } from "./bound-body.js";
import { clientAddress } from "./client-address.js";
import type { AccountsEnvironment, AccountsParts } from "./environment.js";
import { RequestError } from "./request-error.js";
import { otherRequests, type RouteLimits, routeLimits } from "./route-limits.js";

type LimitedParts = Pick<AccountsParts, "rateLimiter" | "addressHeader" | "clock">;

export interface LimitedRoutes {
  readonly listener: string;
  readonly file: string;
  /** The limits by route, such as `GET /account`. */
  readonly limits: Readonly<Record<string, RouteLimits>>;
}

export const accountsRoutes: LimitedRoutes = {
  listener: "accounts",
  file: "packages/private/accounts/src/http/route-limits.ts",
  limits: routeLimits,
};

/**
 * Rejects requests beyond the rate of their network, and bodies that are too large: by Content-Length, or while they are read if they
 * have none. Mount it before everything that does work for a request.
 */
export function limitRoutes(parts: LimitedParts, routes = accountsRoutes): MiddlewareHandler<AccountsEnvironment> {
  const { rateLimiter } = parts;
  const inProcess = rateLimiter && createRateLimiter(parts);
  return async (context, next) => {
    const { name, limits } = limitsOf(context, routes);
    const limiter = limits.withoutStorage ? inProcess : rateLimiter;
    if (limiter !== undefined) {
      const key = JSON.stringify([routes.listener, name, "network", networkOf(clientAddress(context, parts))]);
      const waitMs = await limiter.take(key, limits.network);
      if (waitMs > 0) throw new RequestError("RATE_LIMITED", { waitMs });
    }
    const { bodyBytes } = limits;
    // Node receives no more than the announced bytes.
    if (Number(context.req.header("Content-Length") ?? 0) > bodyBytes) throw new RequestError("REQUEST_TOO_LARGE");
    boundBody(context, bodyBytes);
    return next();
  };
}

/** Rejects requests beyond the rate of the account of their session. Mount it after `loadSession`. */
export function limitAccounts({ rateLimiter }: LimitedParts): MiddlewareHandler<AccountsEnvironment> {
  return async (context, next) => {
    const { name, limits } = limitsOf(context, accountsRoutes);
    const session = context.get("session");
    if (session === undefined || limits.account === undefined) return next();
    const key = JSON.stringify(["accounts", name, "account", session.principalId]);
    const waitMs = (await rateLimiter?.take(key, limits.account)) ?? 0;
    if (waitMs > 0) throw new RequestError("RATE_LIMITED", { waitMs });
    return next();
  };
}

/** Returns the names of routes, such as `GET /account`. Middleware, and handlers of every method, have none. */
export function routeNames(routes: readonly RouterRoute[]): ReadonlySet<string> {
  return new Set(routes.flatMap(({ method, path }) => (method === "ALL" ? [] : [`${method} ${path}`])));
}

/** Checks that every route has limits. @throws TypeError */
export function checkRouteLimits(routes: readonly RouterRoute[], { limits, listener, file } = accountsRoutes): void {
  const unlimited = [...routeNames(routes)].filter((name) => !Object.hasOwn(limits, name));
  if (unlimited.length === 0) return;
  throw new TypeError(
    `These routes of the ${listener} listener have no limits: ${unlimited.join(", ")}. ` +
      `Add the rate and the largest body of each to ${file}.`,
  );
}

/** Returns the limits of the route that serves a request. The first one serves it: others with the same path come after it. */
function limitsOf(
  context: Context,
  { limits }: LimitedRoutes,
): { readonly name: string; readonly limits: RouteLimits } {
  const [name = "other"] = routeNames(matchedRoutes(context));
  return { name, limits: (Object.hasOwn(limits, name) ? limits[name] : undefined) ?? otherRequests };
}
