import {
  createGuessLimiter,
  createRateLimiter,
  defaultLimits,
  type Platform,
  type RateLimiter,
  type Routes,
} from "@platform-rpc/server";
import type { AppStorage } from "../platform/open-storage.js";
import { unlessReadOnly } from "../platform/read-only-start.js";
import { accountsOrigin } from "../settings/listener-url.js";
import type { Settings } from "../settings/settings.js";
import type { AccountsListener } from "./accounts-listener.js";
import { createMemberListener, type MemberListenerOptions } from "./members/member-listener.js";
import { readBrokers } from "./oauth/brokers-file.js";
import type { OAuthParts } from "./oauth/oauth-parts.js";
import { registerFirstPartyClients } from "./oauth-clients/first-party-clients.js";

/** The accounts listener, and the origin at which browsers reach it. */
export interface Accounts extends AccountsListener {
  /** Returns the origin, such as `https://accounts.example`. Without ACCOUNTS_URL, it is known once the listener listens. */
  readonly origin: () => string;
  /** The operations of members. */
  readonly memberRoutes: Routes;
  /** What limits callers before they have signed in. Undefined: nothing does. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Registers the OAuth clients of the platform's own programs. Does nothing once that has succeeded. */
  readonly registerClients: () => Promise<void>;
}

/** What the accounts listener shares with the rest of the app. */
export interface SharedParts
  extends Pick<
      OAuthParts,
      | "operations"
      | "own"
      | "clock"
      | "logger"
      | "readiness"
      | "started"
      | "apiUrl"
      | "callSeries"
      | "fetchDocument"
      | "mcp"
    >,
    Pick<MemberListenerOptions, "tracing" | "onRequestEnd" | "unread"> {
  readonly platform: Platform;
  /** The maximum number of simultaneous connections. */
  readonly connections: number;
  readonly storage: Pick<AppStorage, "rateLimiter" | "guesses">;
}

/**
 * Creates the accounts listener, and registers the OAuth clients of the platform's own programs. Returns undefined if
 * ACCOUNTS_TENANT is not set.
 */
export async function openAccounts(settings: Settings, shared: SharedParts): Promise<Accounts | undefined> {
  const {
    accountsTenant: tenantId,
    accountsUrl,
    accountsSignUp: signUp,
    accountsAddressHeader: addressHeader,
  } = settings;
  const { storage, connections, tracing, onRequestEnd, unread, ...parts } = shared;
  if (tenantId === undefined) return undefined;
  let origin = accountsUrl ?? "";
  const brokers = await readBrokers(settings.brokersFile);
  const { audience, brokerAudience, clientIdMetadata } = settings;
  // Loaded only where it is used: most processes of a large platform serve the API alone.
  const { createAccountsListener } = await import("./accounts-listener.js");
  const { platform, own: operations, logger } = parts;
  const { secrets } = platform;
  let registered = false;
  const registerClients = async () => {
    if (registered) return;
    await registerFirstPartyClients({ tenantId, operations, secrets });
    registered = true;
  };
  await unlessReadOnly("register OAuth clients", registerClients, logger);
  const site = {
    ...parts,
    rateLimiter: settings.rateLimits ? (storage.rateLimiter ?? createRateLimiter(parts)) : undefined,
    guesses: settings.rateLimits ? (storage.guesses ?? createGuessLimiter(parts)) : undefined,
    tenantId,
    signUp,
    addressHeader,
    audience,
    brokerAudience,
    brokers,
    clientIdMetadata,
    origin: () => origin,
  };
  const members = createMemberListener({ settings, platform, logger, tracing, onRequestEnd, unread });
  const limits = { ...defaultLimits, ...settings.limits, connections };
  const { trustedProxies } = settings;
  const listener = createAccountsListener({ site, members, limits, trustedProxies, unread });
  return {
    ...listener,
    origin: () => origin,
    memberRoutes: members.routes,
    rateLimiter: site.rateLimiter,
    registerClients,
    async listen(port, host) {
      const bound = await listener.listen(port, host);
      origin = accountsOrigin(settings, bound.port) ?? "";
      return bound;
    },
  };
}
