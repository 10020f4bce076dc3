import { networkOf } from "@platform-rpc/front";
import type { AccountsParts } from "../accounts-parts.js";

/** How long a failed sign-in counts, in milliseconds: the window of the limiter. */
const failureMs = 600_000;
/** How many sign-ins of a network, and of an account, may fail within this time. */
export const signInFailures = { ofNetwork: 50, ofAccount: 10 };

/** Limits how many sign-ins may fail. */
export interface SignInLimits {
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

export function createSignInLimits({ guesses }: Pick<AccountsParts, "guesses">): SignInLimits {
  const key = (kind: string, of: string) => JSON.stringify(["accounts", kind, of]);
  const network = (address: string) => key("sign in", networkOf(address));
  return {
    async attempt(address) {
      const counted = await guesses?.guess([{ key: network(address), most: signInFailures.ofNetwork }]);
      return counted === false ? failureMs : 0;
    },
    attemptAt: async (accountId) =>
      (await guesses?.guess([{ key: key("account", accountId), most: signInFailures.ofAccount }])) ?? true,
    pardon: async (address, accountId) => guesses?.pardon([network(address), key("account", accountId)]),
  };
}
