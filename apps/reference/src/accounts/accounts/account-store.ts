import { randomUUID } from "node:crypto";
import type { Call } from "@platform-rpc/server";
import * as z from "zod";
import type { AccountsParts } from "../accounts-parts.js";
import { type Account, storedAccount } from "./account.js";

const collection = "account";
const locators = "recovery-locator";
const events = "account-event";
const storedLocator = z.object({ accountId: z.string() });

/** The accounts of the people of a tenant. */
export interface AccountStore {
  /** Finds the account of an active principal. */
  find(accountId: string, call: Call): Promise<Account | undefined>;
  /** Finds the account with the recovery code that has this locator. */
  findByLocator(locator: string, call: Call): Promise<Account | undefined>;
  /** Creates an account and its principal. Returns whether it was created: the id and the code must be new. */
  create(account: NewAccount, call: Call): Promise<boolean>;
  /** Replaces an account, and records the event in the audit trail. Returns whether it was replaced: it may have changed since. */
  replace(account: Account, event: AccountEvent | undefined, call: Call): Promise<boolean>;
  /** Records an event of an account in the audit trail, without changing the account. */
  recordEvent(accountId: string, event: string, call: Call): Promise<void>;
}

export type NewAccount = Omit<Account, "createdAt" | "revision">;

/** An event for the audit trail. */
export interface AccountEvent {
  /** What changed, such as `account:0192…`. */
  readonly subject: string;
  readonly event: string;
}

export function createAccountStore(parts: Pick<AccountsParts, "own" | "clock" | "tenantId">): AccountStore {
  const { own, clock, tenantId } = parts;

  const recordOf = ({ accountId, createdAt, ...account }: Omit<Account, "revision">) => ({
    collection,
    key: accountId,
    tenantId,
    principalId: accountId,
    oauthClientId: "",
    value: JSON.stringify(storedAccount.parse(account)),
    createdAt,
    expiresAt: undefined,
  });

  async function find(accountId: string, call: Call): Promise<Account | undefined> {
    if (accountId === "") return undefined;
    const record = await own.getRecord({ collection, key: accountId, activeOwner: true }, call);
    if (record?.tenantId !== tenantId) return undefined;
    const { createdAt, revision } = record;
    return { ...storedAccount.parse(JSON.parse(record.value)), accountId, createdAt, revision };
  }

  /** Lets the locator find the account. The account decides whether its recovery code still has it. */
  async function point(locator: string, accountId: string, call: Call): Promise<boolean> {
    const owner = { tenantId, principalId: accountId, oauthClientId: "" };
    const value = JSON.stringify({ accountId });
    const record = {
      collection: locators,
      key: locator,
      ...owner,
      value,
      createdAt: clock.now(),
      expiresAt: undefined,
    };
    return (await own.putRecord({ record, expectedRevision: 0 }, call)).ok;
  }

  async function removeLocator(locator: string, call: Call): Promise<void> {
    const record = await own.getRecord({ collection: locators, key: locator }, call);
    if (record === undefined) return;
    await own.putRecord({ record: { ...record, expiresAt: clock.now() }, expectedRevision: record.revision }, call);
  }

  return {
    find,

    async findByLocator(locator, call) {
      const record = await own.getRecord({ collection: locators, key: locator }, call);
      if (record === undefined) return undefined;
      const account = await find(storedLocator.parse(JSON.parse(record.value)).accountId, call);
      return account?.recovery.locator === locator ? account : undefined;
    },

    async create(account, call) {
      const { accountId, recovery } = account;
      if (!(await point(recovery.locator, accountId, call))) return false;
      const created = await own.putRecord(
        {
          record: recordOf({ ...account, createdAt: clock.now() }),
          expectedRevision: 0,
          alsoPrincipal: { tenantId, principalId: accountId, active: true },
          event: { subject: `account:${accountId}`, event: "created" },
        },
        call,
      );
      return created.ok;
    },

    async replace(account, event, call) {
      const { accountId, revision, recovery } = account;
      const before = await find(accountId, call);
      if (before?.revision !== revision) return false;
      const replaced = before.recovery.locator === recovery.locator ? undefined : before.recovery.locator;
      if (replaced !== undefined && !(await point(recovery.locator, accountId, call))) return false;
      const put = await own.putRecord({ record: recordOf(account), expectedRevision: revision, event }, call);
      if (put.ok && replaced !== undefined) await removeLocator(replaced, call);
      return put.ok;
    },

    async recordEvent(accountId, event, call) {
      const now = clock.now();
      const owner = { tenantId, principalId: accountId, oauthClientId: "" };
      // The storage records events only with a record. This one has expired already, so that it is purged.
      const record = { collection: events, key: randomUUID(), ...owner, value: "{}", createdAt: now, expiresAt: now };
      await own.putRecord({ record, expectedRevision: 0, event: { subject: `account:${accountId}`, event } }, call);
    },
  };
}
