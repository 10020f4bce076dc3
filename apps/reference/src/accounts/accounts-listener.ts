import { getRequestListener } from "@hono/node-server";
import { createHandlerListener, type HandlerListener, type HandlerListenerOptions } from "@platform-rpc/front";
import { errorFields } from "../error-fields.js";
import { createAccountsApp } from "./accounts-app.js";
import { createUrlRejection, jsonForRejected, memberPaths } from "./http/rejected-request.js";
import type { MemberListener } from "./members/member-listener.js";
import type { OAuthParts } from "./oauth/oauth-parts.js";

/** The listener of the accounts origin. */
export type AccountsListener = Pick<HandlerListener, "listen" | "leave" | "close">;

/** What the accounts listener serves, and to how many callers. */
export interface AccountsListenerOptions extends Pick<HandlerListenerOptions, "limits" | "trustedProxies" | "unread"> {
  readonly site: OAuthParts;
  readonly members: MemberListener;
}

/**
 * Creates the listener of the accounts origin. It serves plain HTTP: put a proxy with TLS in front of it. Calls of members never
 * reach the site, which accepts cookies: `members` has a gate, a log and errors like the API, and accepts access tokens only.
 */
export function createAccountsListener({ site, members, ...options }: AccountsListenerOptions): AccountsListener {
  const { logger, addressHeader } = site;
  const { fetch } = createAccountsApp(site);
  // The listener itself reads the rest of a rejected body.
  const serveSite = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    // The app itself handles its errors.
    errorHandler: createUrlRejection(logger),
  });
  const listener = createHandlerListener({
    ...options,
    // With the header, all connections come from the proxy.
    trustedProxies: addressHeader === undefined ? options.trustedProxies : "all",
    handle(request, response) {
      const isCallOfMember = request.url?.startsWith(memberPaths) === true;
      return isCallOfMember ? members.handle(request, response) : serveSite(request, response);
    },
    jsonFor: jsonForRejected,
    onRejected: (rejected) => logger.info({ ...rejected, listener: "accounts" }, "request"),
    onFailed: (thrown) => logger.error({ ...errorFields(thrown), listener: "accounts" }, "unexpected error"),
    onNotAccepted: (error) => logger.error(errorFields(error), "connections cannot be accepted"),
  });
  return {
    listen: listener.listen,
    leave: listener.leave,
    async close() {
      await Promise.all([listener.close(), members.close()]);
    },
  };
}
