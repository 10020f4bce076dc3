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
import { consentRoutes } from "./consents/consent-routes.js";
import { consoleApi, consoleRoutes } from "./console/console-routes.js";
import { deviceRoutes } from "./device/device-routes.js";
import { passCallerAddress } from "./http/client-address.js";
import { formOf, memberPaths } from "./http/error-forms.js";
import { accountsRoutes, limitAccounts } from "./http/limit-routes.js";
import { rejectPrefetch } from "./http/navigation.js";
import { knownHost, sameOrigin } from "./http/same-origin.js";
import { accountsSecureHeaders } from "./http/secure-headers.js";
import {
  createSite,
  createSiteListener,
  type Site,
  type SiteListener,
  type SiteListenerOptions,
  type SiteOptions,
} from "./http/site.js";
import type { MemberListener } from "./members/member-listener.js";
import { createFindClient } from "./oauth/find-client.js";
import type { OAuthParts } from "./oauth/oauth-parts.js";
import { oauthRoutes } from "./oauth/oauth-routes.js";
import { assetRoutes } from "./pages/assets.js";
import { checkRecoveryCode, loadSession } from "./sessions/session-middleware.js";
import { signInRoutes } from "./sign-in/sign-in-routes.js";
import { signUpRoutes } from "./sign-in/sign-up-routes.js";
import { unlocksApi } from "./unlocks/unlocks-api.js";

/** What the accounts listener serves, and to how many callers. */
export interface AccountsListenerOptions extends Pick<SiteListenerOptions, "limits" | "trustedProxies" | "unread"> {
  readonly site: OAuthParts;
  readonly members: Pick<MemberListener, "handle" | "close">;
}

/**
 * Creates the listener of the accounts origin. Calls of members never reach the site, which accepts cookies: `members` has a gate, a log and
 * errors like the API, and accepts access tokens only.
 */
export function createAccountsListener({ site, members, ...options }: AccountsListenerOptions): SiteListener {
  const handle: MemberListener["handle"] = (request, response) => {
    passCallerAddress(request, site);
    return members.handle(request, response);
  };
  const servedBy = (url: string) => (url.startsWith(memberPaths) ? handle : undefined);
  const listener = createSiteListener(site, accountsSite(site), { ...options, servedBy });
  return {
    ...listener,
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
export function createAccountsApp(parts: OAuthParts): Site {
  return createSite(parts, accountsSite(parts));
}

function accountsSite(parts: OAuthParts): SiteOptions {
  const { origin, issuer } = parts;
  return {
    routes: accountsRoutes,
    formOf,
    headers: accountsSecureHeaders(parts),
    mount(app) {
      app.use(knownHost(origin, issuer));
      const findClient = createFindClient(parts);
      app.route("/", oauthRoutes(parts, findClient));
      // Clients with this origin as their baseUrl append the path of the documentation to it.
      app.get("/docs/errors/:reason", ({ req, redirect }) => redirect(parts.apiUrl + req.path, 307));
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
      app.route("/", consentRoutes(parts));
      app.route("/", deviceRoutes(parts));
      app.route("/", authorizeRoutes(parts, findClient));
    },
  };
}
