import type { Platform, Routes } from "@platform-rpc/server";
import { defaultLimits, type RateLimiter } from "@platform-rpc/server/host";
import type { AccountsListenerOptions } from "./accounts-listener.js";
import type { SiteListener } from "./http/site.js";
import { createMemberListener, type MemberListenerOptions } from "./members/member-listener.js";
import { readBrokers } from "./oauth/brokers-file.js";
import type { OAuthParts } from "./oauth/oauth-parts.js";
import { registerFirstPartyClients } from "./oauth-clients/first-party-clients.js";

/** The accounts listener, and where it is reached. */
export interface Accounts extends SiteListener, Pick<OAuthParts, "origin" | "issuer"> {
  /** The operations of members. */
  readonly memberRoutes: Routes;
  /** What limits callers before they have signed in. Undefined: nothing does. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Registers the OAuth clients of the platform's own programs. Does nothing once that has succeeded. */
  readonly registerClients: () => Promise<void>;
}

/** What the accounts listener needs of its process. */
export interface AccountsOptions
  extends Omit<OAuthParts, "platform" | "brokers">,
    Omit<MemberListenerOptions, "platform">,
    Pick<AccountsListenerOptions, "trustedProxies"> {
  readonly platform: Platform;
  /** The maximum number of simultaneous connections. */
  readonly connections: number;
  /** The path of the file with the public keys of brokers. Undefined: there are none. */
  readonly brokersFile: string | undefined;
}

/** Creates the accounts listener. */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const { connections, brokersFile, trustedProxies, limits, logSuccesses, lookEveryMs, ...others } = options;
  const { tracing, onRequestEnd, unread, ...parts } = others;
  const { platform, logger, tenantId, rateLimiter } = parts;
  const site = { ...parts, brokers: await readBrokers(brokersFile) };
  // Loaded only where it is used: most processes of a large platform serve the API alone.
  const { createAccountsListener } = await import("./accounts-listener.js");
  const members = createMemberListener({
    ...{ limits, logSuccesses, lookEveryMs },
    ...{ platform, logger, tracing, onRequestEnd, unread, clock: parts.clock, origin: parts.origin },
  });
  const bounds = { ...defaultLimits, ...limits, connections };
  const listener = createAccountsListener({ site, members, limits: bounds, trustedProxies, unread });
  let registered = false;
  return {
    ...listener,
    origin: parts.origin,
    issuer: parts.issuer,
    memberRoutes: members.routes,
    rateLimiter,
    async registerClients() {
      if (registered) return;
      await registerFirstPartyClients({
        tenantId,
        operations: parts.own,
        secrets: platform.secrets,
        clock: parts.clock,
      });
      registered = true;
    },
  };
}
