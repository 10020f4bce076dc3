import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import type { Account } from "@platform-rpc/accounts/people/account";
import { type AccountStore, createAccountStore } from "@platform-rpc/accounts/people/account-store";
import type { Call, Storage } from "@platform-rpc/server";
import {
  createRecordOperations,
  createSteadyClock,
  type FoundRecord,
  type HistoryEvent,
} from "@platform-rpc/server/host";
import { isUndoable } from "../witness/witness-file.js";
import { CommandError } from "./command-output.js";

/** Returns the lines that list what an operator must do after a restore. */
export function undoneChanges(keysFile: string): string[] {
  const keys = existsSync(keysFile)
    ? `${keysFile} is unchanged.`
    : `Copy the backup of your keys to ${keysFile}, with mode 0600, before you start the platform.`;
  return [
    "All changes since the backup are undone. Repeat these before callers reach the platform:",
    "  - deactivate principals, disable OAuth clients and narrow allowlists that were restricted since the backup",
    "  - remove vault members that were removed since the backup",
    "  - revoke tokens of foreign issuers that were revoked since the backup",
    "  - delete items that were deleted since the backup: they exist again, including content that was shredded since",
    "If the backup is older than an hour, nothing is shredded for a day, or until you run `platform trust-clock`.",
    `The backup does not contain the keys. ${keys} See "Backup and restore" in the documentation.`,
  ];
}

/** A change of an account that a restore has undone. */
interface UndoneChange {
  readonly accountId: string;
  readonly at: number;
  readonly what: string;
  /** The passkey that the person had removed. */
  readonly passkeyId: string | undefined;
}

/** Returns the changes after which something may sign somebody in that must not, and those that create accounts. */
function undoneChangesIn(events: readonly HistoryEvent[]): UndoneChange[] {
  return events.flatMap(({ subject, event, at }) => {
    const [, kind, accountId = "", passkeyId] = /^(account|passkey):([^/]+)(?:\/(.+))?$/.exec(subject) ?? [];
    if (!isUndoable({ subject, event })) return [];
    return kind === "account"
      ? [{ accountId, at, what: event, passkeyId: undefined }]
      : [{ accountId, at, what: "passkey removed", passkeyId }];
  });
}

/**
 * Makes people confirm their recovery code at their next sign-in, if a restore has undone a change of it, or the removal of a passkey.
 * Deletes the accounts again that people had deleted.
 *
 * @param events what happened to accounts after the point that was restored. Undefined: it is not known.
 * @returns the lines that name the accounts.
 */
export async function confirmUndoneAccounts(
  events: readonly HistoryEvent[] | undefined,
  tenantId: string | undefined,
  openStorage: () => Promise<Storage>,
): Promise<string[]> {
  if (tenantId === undefined) return [];
  if (events === undefined) {
    return [
      "It is not known who replaced their recovery code, removed a passkey or deleted their account since: the audit trail of that time is",
      "lost. The old codes and passkeys are valid again, and the accounts exist again. Ask people to check theirs.",
    ];
  }
  const undone = undoneChangesIn(events);
  if (undone.length === 0) return [];
  const idsOf = (event: string) =>
    new Set(undone.filter(({ what }) => what === event).map(({ accountId }) => accountId));
  const created = idsOf("created");
  const deleted = idsOf("deleted");
  const lost = undone.filter(({ what, accountId }) => what === "created" && !deleted.has(accountId));
  // Of an account that was created since, nothing is left to change.
  for (const accountId of created) deleted.delete(accountId);
  const before = undone.filter(({ accountId }) => !created.has(accountId));
  const deletions = before.filter(({ what }) => what === "deleted");
  const changes = before.filter(({ accountId }) => !deleted.has(accountId));
  const storage = await openStorage();
  try {
    const clock = createSteadyClock();
    const accounts = createAccountStore({ own: createRecordOperations({ storage, clock }), clock, tenantId });
    for (const accountId of new Set(changes.map(({ accountId }) => accountId))) {
      const removed = changes.filter((change) => change.accountId === accountId).map(({ passkeyId }) => passkeyId);
      await mustConfirm(accounts, accountId, removed);
    }
    for (const accountId of deleted) await deleteAgain(accounts, accountId);
  } finally {
    await storage.close();
  }
  const listed = (changes: readonly UndoneChange[], ...title: readonly string[]) => {
    const lines = changes.map(
      ({ accountId, at, what }) => `  - ${accountId}: ${what} at ${new Date(at).toISOString()}`,
    );
    return lines.length === 0 ? [] : [...title, ...lines];
  };
  return [
    ...listed(
      lost,
      "These accounts were created since, and are lost with their vaults. The people must sign up again:",
    ),
    ...listed(
      changes,
      "These changes of accounts are undone; removed passkeys were removed again.",
      "Each person must confirm their recovery code, or create a new one, at their next sign-in:",
    ),
    ...listed(
      deletions,
      "These accounts were deleted again. The items of their own vaults exist again, but nobody can read them:",
    ),
  ];
}

/** Marks an account, and removes the passkeys again that the person had removed. */
async function mustConfirm(
  accounts: AccountStore,
  accountId: string,
  removed: readonly (string | undefined)[],
): Promise<void> {
  const events = [{ subject: `account:${accountId}`, event: "recovery code must be confirmed" }];
  await changeAccount(accounts, accountId, async (account, call) => {
    if (account.value.recovery === undefined) return true;
    const passkeys = account.value.passkeys.filter(({ id }) => !removed.includes(id));
    return accounts.replace(account, { passkeys, mustConfirmCode: true }, { events }, call);
  });
}

function deleteAgain(accounts: AccountStore, accountId: string): Promise<void> {
  return changeAccount(accounts, accountId, (account, call) => accounts.remove(account, {}, call));
}

/**
 * Changes an account, and tries again if it has changed in between. Does nothing without one: it was created after the point that was
 * restored.
 *
 * @param change returns whether it is done.
 */
async function changeAccount(
  accounts: AccountStore,
  accountId: string,
  change: (account: FoundRecord<Account>, call: Call) => Promise<boolean>,
): Promise<void> {
  const call = ownCall("restore", { newId: randomUUID });
  for (let tries = 0; tries < 10; tries += 1) {
    const account = await accounts.find(accountId, call);
    if (account === undefined || (await change(account, call))) return;
  }
  throw new CommandError(
    `The account ${accountId} changed again and again. Stop every process of the platform, and try again.`,
  );
}
