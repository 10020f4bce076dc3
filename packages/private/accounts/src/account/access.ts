import type { Context } from "hono";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { RequestError } from "../http/request-error.js";
import { type Account, canUnlock, type Passkey } from "../people/account.js";
import { createAccountStore } from "../people/account-store.js";
import type { Device } from "../people/device.js";
import type { ListedSession } from "../people/session.js";
import { createDeviceStore } from "../sessions/device-store.js";
import { signedIn } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { listConnectedSoftware } from "./connected-software.js";

export interface Access {
  readonly account: Account;
  /** The browsers in which the person has signed in. */
  readonly devices: readonly Device[];
  /** The newest first. */
  readonly sessions: readonly ListedSession[];
}

/** What a person can end. */
export const accessKinds = ["session", "passkey", "software"] as const;

export type AccessKind = (typeof accessKinds)[number];

type SignedInContext = Context<AccountsEnvironment>;

type End = (context: SignedInContext, id: string) => Promise<unknown>;

/** Creates what lists and ends the access of the signed-in person. Require a recent sign-in before each change. */
export function createAccessControl(parts: AccountsParts) {
  const accounts = createAccountStore(parts);
  const sessions = createSessionStore(parts);
  const devices = createDeviceStore(parts);

  /** Replaces the passkeys of an account that has the given one. If the account was changed in between, nothing is replaced. */
  async function changePasskey(
    context: SignedInContext,
    { operation, event, id }: { readonly operation: string; readonly event: string; readonly id: string },
    change: (passkey: Passkey) => readonly Passkey[],
  ): Promise<void> {
    const session = signedIn(context);
    const call = callOf(context, operation, session);
    const account = await accounts.find(session.principalId, call);
    if (!account?.value.passkeys.some((passkey) => passkey.id === id)) throw new RequestError("ACCOUNT_CHANGED");
    const passkeys = account.value.passkeys.flatMap((passkey) => (passkey.id === id ? change(passkey) : [passkey]));
    if (!canUnlock({ ...account.value, passkeys })) throw new RequestError("RECOVERY_CODE_NEEDED");
    const events = [{ subject: `passkey:${account.value.accountId}/${id}`, event }];
    if (!(await accounts.replace(account, { passkeys }, { events }, call))) throw new RequestError("ACCOUNT_CHANGED");
  }

  const ends: Readonly<Record<AccessKind, End>> = {
    session: (context, id) => {
      const session = signedIn(context);
      return sessions.end(session, id, callOf(context, "end-session", session));
    },
    passkey: (context, id) => changePasskey(context, { operation: "remove-passkey", event: "removed", id }, () => []),
    software: (context, id) => parts.own.removeAccess(id, callOf(context, "end-software", signedIn(context))),
  };

  return {
    /** Lists what signs the person in. @throws RequestError SIGNED_OUT if their account no longer exists */
    async list(context: SignedInContext): Promise<Access> {
      const session = signedIn(context);
      const [account, listed, known] = await Promise.all([
        accounts.find(session.principalId, callOf(context, "account", session)),
        sessions.list(session),
        devices.list(session),
      ]);
      if (account === undefined) throw new RequestError("SIGNED_OUT");
      return { account: account.value, sessions: listed, devices: known.map(({ value }) => value) };
    },

    /**
     * Ends one access of the person. An id that is unknown, or of another person, changes nothing.
     *
     * @throws RequestError if a passkey does not exist, the account was changed at the same time, or nothing else unlocks the keys
     */
    end: (context: SignedInContext, kind: AccessKind, id: string) => ends[kind](context, id),

    async endSoftware(context: SignedInContext): Promise<void> {
      for (const { id } of await listConnectedSoftware(parts.own, signedIn(context))) await ends.software(context, id);
    },

    /** Renames a passkey of the person. @throws RequestError if it does not exist, or the account was changed at the same time */
    renamePasskey: (context: SignedInContext, id: string, name: string) =>
      changePasskey(context, { operation: "rename-passkey", event: "renamed", id }, (passkey) => [
        { ...passkey, name },
      ]),
  };
}
