import { networkOf } from "@platform-rpc/front";
import type { Call } from "@platform-rpc/server";
import type { FoundRecord, RecordEvent } from "@platform-rpc/server/host";
import type { Context } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { verifyRecoverySignature } from "../keys/recovery-keys.js";
import type { WrappedUserKeys } from "../keys/wrap-user-keys.js";
import { type Account, locator } from "../people/account.js";
import type { AccountStore } from "../people/account-store.js";
import type { SessionStore } from "../sessions/session-store.js";
import type { Ceremonies } from "./ceremony.js";
import { claimedAccountId, passkeyResponse, verifyPasskey } from "./passkey-ceremonies.js";
import { type SignInParts, startSession } from "./start-session.js";

/** How often a sign-in is tried when the account, or the session that the browser had, changes at the same time. */
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

/** The person and the session, or why the sign-in failed. */
type SignInResult =
  | ({
      readonly ok: true;
      readonly sessionToken: string;
      /** The keys that the proof unwraps. */
      readonly wrappedKeys: WrappedUserKeys | undefined;
    } & Pick<Account, "accountId" | "displayName">)
  | { readonly ok: false; readonly reason: "CEREMONY_EXPIRED" | "SIGN_IN_FAILED" };

/** What a proof changes in its account, and the keys that it unwraps. */
interface Verified {
  readonly change: Partial<Pick<Account, "passkeys" | "mustConfirmCode">> | undefined;
  readonly events: readonly RecordEvent[];
  readonly wrappedKeys: WrappedUserKeys | undefined;
}

interface SignInDeps {
  readonly parts: Pick<AccountsParts, "origin" | "clock" | "own"> & SignInParts;
  readonly accounts: AccountStore;
  readonly ceremonies: Ceremonies;
  readonly sessions: SessionStore;
  readonly limits: ReturnType<typeof createSignInLimits>;
}

/**
 * Creates the sign-in. It fails in the same way whether or not there is such an account. Failures of known accounts are in the audit
 * trail. The ceremony is taken in one step with what the sign-in changes: the account, its session, and the session that the browser had.
 */
export function createSignIn({ parts, accounts, ceremonies, sessions, limits }: SignInDeps) {
  const { origin, clock, own, tenantId } = parts;

  /** Finds the account of a proof. Only a person with its passkey or recovery code knows the id of the passkey, or the locator. */
  async function find(proof: SignInProof, call: Call): Promise<FoundRecord<Account> | undefined> {
    if (proof.how === "recovery code") return accounts.findByLocator(proof.locator, call);
    const account = await accounts.find(claimedAccountId(proof.response), call);
    return account?.value.passkeys.some(({ id }) => id === proof.response.id) ? account : undefined;
  }

  async function verify(account: Account, proof: SignInProof, challenge: string): Promise<Verified | undefined> {
    if (proof.how === "recovery code") {
      if (account.recovery === undefined) return undefined;
      const { signInPublicKey, wrappedKeys } = account.recovery;
      const signed = { origin, challenge };
      if (!(await verifyRecoverySignature(signInPublicKey, proof.signature, signed))) return undefined;
      if (!account.mustConfirmCode) return { change: undefined, events: [], wrappedKeys };
      const events = [{ subject: `account:${account.accountId}`, event: "recovery code confirmed" }];
      return { change: { mustConfirmCode: undefined }, events, wrappedKeys };
    }
    const passkey = account.passkeys.find(({ id }) => id === proof.response.id);
    const used = passkey && (await verifyPasskey(origin, proof.response, challenge, passkey));
    if (passkey === undefined || used === undefined) return undefined;
    const updated = { ...passkey, ...used, lastUsedAt: clock.now() };
    const passkeys = account.passkeys.map((one) => (one === passkey ? updated : one));
    return { change: { passkeys }, events: [], wrappedKeys: passkey.wrappedKeys };
  }

  return async (context: Context<AccountsEnvironment>, proof: SignInProof): Promise<SignInResult> => {
    const call = callOf(context, "sign-in", { tenantId, principalId: "" });
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const begun = await ceremonies.find(context, "sign in", call);
      if (begun === undefined) return { ok: false, reason: "CEREMONY_EXPIRED" };
      const { challenge, accountId: expectedId } = begun.ceremony;
      const found = await find(proof, call);
      const known = found && (attempt > 0 || (await limits.attemptAt(found.value.accountId))) ? found : undefined;
      const verified = known && (await verify(known.value, proof, challenge));
      if (
        known === undefined ||
        verified === undefined ||
        (expectedId ?? known.value.accountId) !== known.value.accountId
      ) {
        const event = `sign-in with ${proof.how} failed`;
        const events = known === undefined ? [] : [{ subject: `account:${known.value.accountId}`, event }];
        // If another request has taken the ceremony in between, it is not found again.
        if ((await own.putRecords({ puts: [begun.taking], events }, call)).ok) break;
        continue;
      }
      const { accountId, displayName } = known.value;
      const person = callOf(context, "sign-in", { tenantId, principalId: accountId });
      const started = await startSession(context, { parts, sessions }, known.value, proof.how, person);
      const { puts, events, alsoRevoked } = started.together;
      const together = { puts: [begun.taking, ...puts], events: [...verified.events, ...events], alsoRevoked };
      // A recovery code changes nothing in the account, unless it had to be confirmed.
      const done =
        verified.change === undefined
          ? (await own.putRecords(together, person)).ok
          : await accounts.replace(known, verified.change, together, person);
      const { token: sessionToken } = started;
      if (done) return { ok: true, accountId, displayName, wrappedKeys: verified.wrappedKeys, sessionToken };
    }
    return { ok: false, reason: "SIGN_IN_FAILED" };
  };
}

/** How long a failed sign-in counts, in milliseconds: the window of the limiter. */
const failureMs = 600_000;
/** How many sign-ins of a network, and of an account, may fail within this time. */
export const signInFailures = { ofNetwork: 50, ofAccount: 10 };

/** Limits how many sign-ins may fail. */
export function createSignInLimits({ guesses }: Pick<AccountsParts, "guesses">) {
  const key = (kind: string, of: string) => JSON.stringify(["accounts", kind, of]);
  const network = (address: string) => key("sign in", networkOf(address));
  return {
    /** Counts a sign-in of an address as a failure, until it is pardoned. Returns 0, or the milliseconds to wait: too many have failed. */
    async attempt(address: string): Promise<number> {
      const counted = await guesses?.guess([{ key: network(address), most: signInFailures.ofNetwork }]);
      return counted === false ? failureMs : 0;
    },
    /**
     * Counts a sign-in to an account as a failure, until it is pardoned. Call it only for callers who know the id of one of its passkeys,
     * or the locator of its recovery code: others, who may know the account's id, could lock its person out.
     */
    attemptAt: async (accountId: string) =>
      (await guesses?.guess([{ key: key("account", accountId), most: signInFailures.ofAccount }])) ?? true,
    /** Removes the failures that a sign-in was counted as, because it succeeded. */
    pardon: async (address: string, accountId: string) =>
      guesses?.pardon([network(address), key("account", accountId)]),
  };
}
