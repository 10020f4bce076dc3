import { getRequestListener } from "@hono/node-server";
import { createHandlerListener, type HandlerListener, type HandlerListenerOptions } from "@platform-rpc/front";
import { errorFields } from "@platform-rpc/front/errors";
import { StorageError } from "@platform-rpc/server";
import { Hono } from "hono";
import { accessApi } from "./account/access-api.js";
import { accountApi } from "./account/account-api.js";
import { accountRoutes } from "./account/account-routes.js";
import { activityApi } from "./account/activity-api.js";
import { delegationsApi } from "./account/delegations-api.js";
import { exportsApi } from "./account/exports-api.js";
import { itemsApi } from "./account/items-api.js";
import { memberKeysApi } from "./account/member-keys-api.js";
import { personApi } from "./account/person-api.js";
import { vaultsApi } from "./account/vaults-api.js";
import { authorizeRoutes } from "./authorize/authorize-routes.js";
import { deletionRoutes } from "./consents/deletion-routes.js";
import { consoleApi, consoleRoutes } from "./console/console-routes.js";
import { deviceRoutes } from "./device/device-routes.js";
import { passCallerAddress } from "./http/client-address.js";
import type { AccountsEnvironment } from "./http/environment.js";
import { healthRoutes } from "./http/health-routes.js";
import { checkRouteLimits, limitAccounts, limitRoutes } from "./http/limit-routes.js";
import { limitTime } from "./http/limit-time.js";
import { rejectPrefetch } from "./http/navigation.js";
import { OAuthError, oauthErrorResponse } from "./http/oauth-error.js";
import { onceStarted } from "./http/once-started.js";
import { jsonForRejected, memberPaths, requestListenerOptions } from "./http/rejected-request.js";
import { failureResponse, RequestError } from "./http/request-error.js";
import { requestLog } from "./http/request-log.js";
import { knownHost, sameOrigin } from "./http/same-origin.js";
import { accountsSecureHeaders } from "./http/secure-headers.js";
import type { MemberListener } from "./members/member-listener.js";
import { createFindClient } from "./oauth/find-client.js";
import type { OAuthParts } from "./oauth/oauth-parts.js";
import { oauthRoutes } from "./oauth/oauth-routes.js";
import { assetRoutes } from "./pages/assets.js";
import { checkRecoveryCode, loadSession } from "./sessions/session-middleware.js";
import { signInRoutes } from "./sign-in/sign-in-routes.js";
import { signUpRoutes } from "./sign-in/sign-up-routes.js";
import { unlocksApi } from "./unlocks/unlocks-api.js";

export interface AccountsListener extends Pick<HandlerListener, "listen" | "leave" | "close"> {
  /** Returns the number of open connections. */
  readonly connections: () => number;
}

/** What the accounts listener serves, and to how many callers. */
export interface AccountsListenerOptions extends Pick<HandlerListenerOptions, "limits" | "trustedProxies" | "unread"> {
  readonly site: OAuthParts;
  readonly members: Pick<MemberListener, "handle" | "close">;
}

/**
 * Creates the listener of the accounts origin. It serves plain HTTP: put a proxy with TLS in front of it. Calls of members never
 * reach the site, which accepts cookies: `members` has a gate, a log and errors like the API, and accepts access tokens only.
 */
export function createAccountsListener({ site, members, ...options }: AccountsListenerOptions): AccountsListener {
  const { logger, addressHeader } = site;
  const { fetch } = createAccountsApp(site);
  const serveSite = getRequestListener(fetch, requestListenerOptions(logger));
  const listener = createHandlerListener({
    ...options,
    // With the header, all connections come from the proxy.
    trustedProxies: addressHeader === undefined ? options.trustedProxies : "all",
    handle(request, response) {
      const isCallOfMember = request.url?.startsWith(memberPaths) === true;
      if (!isCallOfMember) return serveSite(request, response);
      passCallerAddress(request, site);
      return members.handle(request, response);
    },
    jsonFor: jsonForRejected,
    onRejected: (rejected) => logger.info({ ...rejected, listener: "accounts" }, "request"),
    onFailed: (thrown) => logger.error({ ...errorFields(thrown), listener: "accounts" }, "unexpected error"),
    onNotAccepted: (error) => logger.error(errorFields(error), "connections cannot be accepted"),
  });
  return {
    listen: listener.listen,
    leave: listener.leave,
    connections: () => listener.connections,
    async close() {
      await Promise.all([listener.close(), members.close()]);
    },
  };
}

/**
 * Creates the site where people sign in and approve devices, and the endpoints of OAuth.
 *
 * @throws TypeError when a route has no limits in `http/route-limits.ts`.
 */
export function createAccountsApp(parts: OAuthParts): Hono<AccountsEnvironment> {
  const { origin, issuer, logger, readiness } = parts;
  // One slash at the end of a path changes nothing: people and clients add it.
  const app = new Hono<AccountsEnvironment>({ strict: false });
  app.use(requestLog(logger));
  app.use(accountsSecureHeaders(parts));
  app.use(limitTime());
  app.use(limitRoutes(parts));
  app.route("/", healthRoutes(readiness));

  app.use(onceStarted(parts));
  app.use(knownHost(origin, issuer));
  const findClient = createFindClient(parts);
  app.route("/", oauthRoutes(parts, findClient));
  // Clients with this origin as their baseUrl append the path of the documentation to it.
  app.get("/docs/errors/:reason", ({ req, redirect }) => redirect(parts.apiUrl() + req.path, 307));
  // Every route after these may use the cookie of a session, which no other host gets or sets.
  app.use(knownHost(origin));
  app.use(sameOrigin(origin));

  app.route("/", assetRoutes(parts));
  app.use(rejectPrefetch);
  app.use(loadSession(parts));
  app.use(limitAccounts(parts));
  app.use(checkRecoveryCode(parts));
  app.route("/", signInRoutes(parts));
  app.route("/", signUpRoutes(parts));
  app.route("/", accountRoutes(parts));
  app.route("/", accountApi(parts));
  app.route("/", accessApi(parts));
  app.route("/", personApi(parts));
  app.route("/", memberKeysApi(parts));
  app.route("/", vaultsApi(parts));
  app.route("/", unlocksApi(parts));
  app.route("/", itemsApi(parts));
  app.route("/", exportsApi(parts));
  app.route("/", delegationsApi(parts));
  app.route("/", activityApi(parts));
  app.route("/", consoleApi(parts));
  app.route("/", consoleRoutes(parts));
  app.route("/", deletionRoutes(parts));
  app.route("/", deviceRoutes(parts));
  app.route("/", authorizeRoutes(parts, findClient));

  app.notFound((context) => failureResponse(context, new RequestError("NOT_FOUND")));
  app.onError((error, context) => {
    if (error instanceof OAuthError) return oauthErrorResponse(context, error);
    if (error instanceof RequestError) return failureResponse(context, error);
    if (error instanceof StorageError) return failureResponse(context, new RequestError("UNAVAILABLE"));
    logger.error({ requestId: context.get("requestId"), ...errorFields(error) }, "unexpected error");
    return failureResponse(context, new RequestError("INTERNAL"));
  });
  checkRouteLimits(app.routes);
  return app;
}
