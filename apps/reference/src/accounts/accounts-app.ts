import { type Document, StorageError } from "@platform-rpc/server";
import { Hono } from "hono";
import { errorFields } from "../error-fields.js";
import { accessApi } from "./account/access-api.js";
import { accountApi } from "./account/account-api.js";
import { accountRoutes } from "./account/account-routes.js";
import { activityApi } from "./account/activity-api.js";
import type { AccountsEnvironment } from "./accounts-environment.js";
import { authorizeRoutes } from "./authorize/authorize-routes.js";
import { chartsApi } from "./console/charts-api.js";
import { consoleApi } from "./console/console-api.js";
import { consoleRoutes } from "./console/console-routes.js";
import { deviceRoutes } from "./device/device-routes.js";
import { knownHost } from "./http/known-host.js";
import { checkRouteLimits, limitAccounts, limitRoutes } from "./http/limit-routes.js";
import { limitTime } from "./http/limit-time.js";
import { failureResponse, RequestError } from "./http/request-error.js";
import { requestLog } from "./http/request-log.js";
import { sameOrigin } from "./http/same-origin.js";
import { accountsSecureHeaders } from "./http/secure-headers.js";
import { createFindClient } from "./oauth/find-client.js";
import { OAuthError, oauthErrorResponse } from "./oauth/oauth-error.js";
import type { OAuthParts } from "./oauth/oauth-parts.js";
import { oauthRoutes } from "./oauth/oauth-routes.js";
import { assetRoutes } from "./pages/assets.js";
import { checkRecoveryCode } from "./sessions/check-recovery-code.js";
import { loadSession } from "./sessions/load-session.js";
import { signInRoutes } from "./sign-in/sign-in-routes.js";
import { signUpRoutes } from "./sign-in/sign-up-routes.js";

/**
 * Creates the site where people sign in and approve devices, and the endpoints of OAuth.
 *
 * @throws TypeError when a route has no limits in `route-limits.ts`.
 */
export function createAccountsApp(parts: OAuthParts): Hono<AccountsEnvironment> {
  const { origin, logger, readiness } = parts;
  const app = new Hono<AccountsEnvironment>();
  app.use(requestLog(logger));
  app.use(accountsSecureHeaders(parts));
  app.use(limitTime());
  app.use(limitRoutes(parts));
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("/readyz", () => responseOf(readiness()));

  app.use(knownHost(origin));
  const findClient = createFindClient(parts);
  app.route("/", oauthRoutes(parts, findClient));
  // Every route after this one may use the cookie of a session.
  app.use(sameOrigin(origin));

  app.route("/", assetRoutes());
  app.use(loadSession(parts));
  app.use(limitAccounts(parts));
  app.use(checkRecoveryCode(parts));
  app.route("/", signInRoutes(parts));
  app.route("/", signUpRoutes(parts));
  app.route("/", accountRoutes(parts));
  app.route("/", accountApi(parts));
  app.route("/", accessApi(parts));
  app.route("/", activityApi(parts));
  app.route("/", consoleApi(parts));
  app.route("/", chartsApi(parts));
  app.route("/", consoleRoutes());
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

function responseOf({ status, contentType, body }: Document): Response {
  return new Response(Buffer.from(body), {
    status,
    headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
  });
}
