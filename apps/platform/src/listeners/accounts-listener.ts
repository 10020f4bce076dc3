import type { Accounts, AccountsOptions } from "@platform-rpc/accounts";
import type { McpResource } from "@platform-rpc/accounts/oauth/oauth-parts";
import { createGuessLimiter, createRateLimiter } from "@platform-rpc/server/host";
import { unlessReadOnly } from "../platform/read-only-start.js";
import type { ListenerParts } from "./listener-parts.js";

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
  parts: ListenerParts,
  mcp: McpResource | undefined,
  fetchDocument: AccountsOptions["fetchDocument"],
): Promise<Accounts | undefined> {
  const { settings, addresses, storage, platform, clock, logger, tracing, unread, metrics } = parts;
  const { accountsTenant: tenantId, audience, brokerAudience, brokersFile, clientIdMetadata } = settings;
  const { limits, logSuccesses, trustedProxies } = settings;
  if (tenantId === undefined || addresses.accounts === undefined) return undefined;
  const { openAccounts } = await import("@platform-rpc/accounts");
  const accounts = await openAccounts({
    ...{ tenantId, audience, brokerAudience, brokersFile, clientIdMetadata, limits, logSuccesses, trustedProxies },
    ...{ platform, operations: platform.operations, own: platform.own, clock, logger, tracing, unread },
    ...addresses.accounts,
    apiUrl: addresses.apiUrl,
    mcp,
    connections: parts.connections.accounts,
    readiness: parts.health.readiness,
    onRequestEnd: metrics.onMemberRequestEnd,
    assets: assetFolder,
    signUp: settings.accountsSignUp,
    addressHeader: settings.accountsAddressHeader,
    rateLimiter: settings.rateLimits ? (storage.rateLimiter ?? createRateLimiter(parts)) : undefined,
    guesses: settings.rateLimits ? (storage.guesses ?? createGuessLimiter(parts)) : undefined,
    // On PostgreSQL, each look at a vault is a statement.
    lookEveryMs: settings.databaseUrl === undefined ? 100 : 500,
    ...(fetchDocument && { fetchDocument }),
  });
  metrics.countConnections("accounts", accounts.connections);
  await unlessReadOnly("register OAuth clients", accounts.registerClients, logger);
  return accounts;
}
