import type { AccountsParts } from "../accounts-parts.js";
import { networkOf } from "../http/client-address.js";

/** How often a network may ask for challenges. Each is a record. */
const challenges = { perMinute: 60, burst: 120 };
/** How often a network may create accounts. */
const accounts = { perMinute: 2, burst: 10 };
/** How long a failed sign-in counts, in milliseconds: the window of the limiter. */
const failureMs = 600_000;
/** How many sign-ins of a network, and of an account, may fail within this time. */
const failuresOfNetwork = 50;
const failuresOfAccount = 10;

/** Limits what callers may do before they are signed in. */
export interface SignInLimits {
  /** Takes a challenge for an address. Returns 0, or the milliseconds until one is available. */
  challenge(address: string): Promise<number>;
  /** Takes a new account for an address. Returns 0, or the milliseconds until one is available. */
  account(address: string): Promise<number>;
  /** Counts a sign-in of an address as a failure, until it is pardoned. Returns 0, or the milliseconds to wait: too many have failed. */
  attempt(address: string): Promise<number>;
  /**
   * Counts a sign-in to an account as a failure, until it is pardoned. Call it only for callers who know the id of one of its passkeys,
   * or the locator of its recovery code: others, who may know the account's id, could lock its person out.
   */
  attemptAt(accountId: string): Promise<boolean>;
  /** Removes the failures that a sign-in was counted as, because it succeeded. */
  pardon(address: string, accountId: string): Promise<void>;
}

export function createSignInLimits({
  rateLimiter,
  guesses,
}: Pick<AccountsParts, "rateLimiter" | "guesses">): SignInLimits {
  const key = (kind: string, of: string) => JSON.stringify(["accounts", kind, of]);
  const network = (kind: string, address: string) => key(kind, networkOf(address));
  return {
    challenge: async (address) => (await rateLimiter?.take(network("challenge", address), challenges)) ?? 0,
    account: async (address) => (await rateLimiter?.take(network("sign up", address), accounts)) ?? 0,
    async attempt(address) {
      const counted = await guesses?.guess([{ key: network("sign in", address), most: failuresOfNetwork }]);
      return counted === false ? failureMs : 0;
    },
    attemptAt: async (accountId) =>
      (await guesses?.guess([{ key: key("account", accountId), most: failuresOfAccount }])) ?? true,
    pardon: async (address, accountId) => guesses?.pardon([network("sign in", address), key("account", accountId)]),
  };
}
