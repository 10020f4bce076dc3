import { networkOf } from "@platform-rpc/front";
import type { Call } from "@platform-rpc/server";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";
import { verifyRecoverySignature } from "../keys/recovery-keys.js";
import type { WrappedUserKeys } from "../keys/wrap-user-keys.js";
import { type Account, locator } from "../people/account.js";
import type { AccountStore } from "../people/account-store.js";
import type { CeremonyOf } from "./ceremony.js";
import { claimedAccountId, passkeyResponse, verifyPasskey } from "./passkey-ceremonies.js";

/** How often a sign-in is tried again when the account changes at the same time. */
const tries = 3;

/** What a browser sends to prove who uses it. */
export const signInProof = z.discriminatedUnion("how", [
  z.object({ how: z.literal("passkey"), response: passkeyResponse }),
  z.object({
    how: z.literal("recovery code"),
    locator,
    signature: z.string().max(128),
  }),
]);
type SignInProof = z.infer<typeof signInProof>;

/** A person who proved who they are, and their wrapped keys, if this passkey has any. */
interface CheckedSignIn {
  readonly account: Account;
  readonly wrappedKeys: WrappedUserKeys | undefined;
}

interface CheckSignInDeps {
  readonly parts: Pick<AccountsParts, "origin" | "clock">;
  readonly accounts: AccountStore;
  readonly limits: SignInLimits;
}

/**
 * Creates the check of a sign-in. It resolves with undefined for every sign-in that fails, whether or not there is such an account.
 * Failures of known accounts are in the audit trail.
 */
export function createCheckSignIn({ parts, accounts, limits }: CheckSignInDeps) {
  /** Finds the account of a proof. Only a person with its passkey or recovery code knows the id of the passkey, or the locator. */
  async function find(proof: SignInProof, call: Call): Promise<Account | undefined> {
    if (proof.how === "recovery code") return accounts.findByLocator(proof.locator, call);
    const account = await accounts.find(claimedAccountId(proof.response), call);
    return account?.passkeys.some(({ id }) => id === proof.response.id) ? account : undefined;
  }

  /** Returns the account with the updated passkey, and the keys that the proof unwraps. */
  async function verify(account: Account, proof: SignInProof, challenge: string): Promise<CheckedSignIn | undefined> {
    const origin = parts.origin();
    if (proof.how === "recovery code") {
      if (account.recovery === undefined) return undefined;
      const { signInPublicKey, wrappedKeys } = account.recovery;
      const valid = await verifyRecoverySignature(signInPublicKey, proof.signature, { origin, challenge });
      if (!valid) return undefined;
      return { account: account.mustConfirmCode ? { ...account, mustConfirmCode: undefined } : account, wrappedKeys };
    }
    const passkey = account.passkeys.find(({ id }) => id === proof.response.id);
    const used = passkey && (await verifyPasskey({ origin }, proof.response, challenge, passkey));
    if (passkey === undefined || used === undefined) return undefined;
    const updated = { ...passkey, ...used, lastUsedAt: parts.clock.now() };
    const passkeys = account.passkeys.map((one) => (one === passkey ? updated : one));
    return { account: { ...account, passkeys }, wrappedKeys: passkey.wrappedKeys };
  }

  return async (
    proof: SignInProof,
    { challenge, accountId }: CeremonyOf<"sign in">,
    call: Call,
  ): Promise<CheckedSignIn | undefined> => {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const account = await find(proof, call);
      if (account === undefined) return undefined;
      if (attempt === 0 && !(await limits.attemptAt(account.accountId))) return undefined;
      const checked = await verify(account, proof, challenge);
      const expected = accountId === undefined || accountId === account.accountId;
      if (checked === undefined || !expected) {
        await accounts.recordEvent(account.accountId, `sign-in with ${proof.how} failed`, call);
        return undefined;
      }
      // A recovery code changes nothing in the account, unless it had to be confirmed.
      if (checked.account === account) return checked;
      const event =
        proof.how === "passkey"
          ? undefined
          : { subject: `account:${account.accountId}`, event: "recovery code confirmed" };
      if (await accounts.replace(checked.account, { event }, call)) return checked;
    }
    return undefined;
  };
}

/** How long a failed sign-in counts, in milliseconds: the window of the limiter. */
const failureMs = 600_000;
/** How many sign-ins of a network, and of an account, may fail within this time. */
export const signInFailures = { ofNetwork: 50, ofAccount: 10 };

/** Limits how many sign-ins may fail. */
interface SignInLimits {
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
