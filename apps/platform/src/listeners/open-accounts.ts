import type { Accounts, AccountsOptions } from "@platform-rpc/accounts";
import { createGuessLimiter, createRateLimiter } from "@platform-rpc/server/host";
import type { AppStorage } from "../platform/open-storage.js";
import { unlessReadOnly } from "../platform/read-only-start.js";
import { accountsUrls } from "../settings/listener-url.js";
import type { Settings } from "../settings/settings.js";

/** What the accounts listener shares with the rest of the app. */
export interface SharedParts
  extends Pick<
    AccountsOptions,
    | "operations"
    | "own"
    | "clock"
    | "logger"
    | "readiness"
    | "started"
    | "apiUrl"
    | "fetchDocument"
    | "mcp"
    | "tracing"
    | "onRequestEnd"
    | "unread"
    | "platform"
    | "connections"
  > {
  readonly storage: Pick<AppStorage, "rateLimiter" | "guesses">;
}

/** The folder of the built scripts and styles. Tests import this module from its source, and use the build, too. */
export const assetFolder = new URL(
  import.meta.url.endsWith(".ts") ? "../../dist/assets/" : "./assets/",
  import.meta.url,
);

/**
 * Creates the accounts listener, and registers the OAuth clients of the platform's own programs. Returns undefined if
 * ACCOUNTS_TENANT is not set.
 */
export async function openAccountsListener(
  settings: Settings,
  { storage, ...parts }: SharedParts,
): Promise<Accounts | undefined> {
  const { accountsTenant: tenantId, audience, brokerAudience, brokersFile, clientIdMetadata } = settings;
  const { limits, logSuccesses, trustedProxies } = settings;
  if (tenantId === undefined) return undefined;
  const { openAccounts } = await import("@platform-rpc/accounts");
  const accounts = await openAccounts({
    ...parts,
    ...{ tenantId, audience, brokerAudience, brokersFile, clientIdMetadata, limits, logSuccesses, trustedProxies },
    assets: assetFolder,
    signUp: settings.accountsSignUp,
    addressHeader: settings.accountsAddressHeader,
    rateLimiter: settings.rateLimits ? (storage.rateLimiter ?? createRateLimiter(parts)) : undefined,
    guesses: settings.rateLimits ? (storage.guesses ?? createGuessLimiter(parts)) : undefined,
    urlsAt: (port) => accountsUrls(settings, port),
    // On PostgreSQL, each look at a vault is a statement.
    lookEveryMs: settings.databaseUrl === undefined ? 100 : 500,
  });
  await unlessReadOnly("register OAuth clients", accounts.registerClients, parts.logger);
  return accounts;
}
