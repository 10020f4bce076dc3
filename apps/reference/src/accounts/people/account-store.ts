import { randomUUID } from "node:crypto";
import type { Call, Clock, Operations, RecordEvent, RecordPut } from "@platform-rpc/server";
import * as z from "zod";
import { type Account, storedAccount } from "./account.js";

const collection = "account";
const locators = "recovery-locator";
const events = "account-event";
const storedLocator = z.object({ accountId: z.string() });

export interface AccountStore {
  /** Finds the account of an active principal. */
  find(accountId: string, call: Call): Promise<Account | undefined>;
  /** Finds the account with the recovery code that has this locator. */
  findByLocator(locator: string, call: Call): Promise<Account | undefined>;
  /**
   * Creates an account and its principal, in one step with what is created or used up with them. Returns whether it was created: the id
   * and the code must be new, and everything else as expected.
   */
  create(account: NewAccount, together: CreatedTogether, call: Call): Promise<boolean>;
  /**
   * Replaces an account and the locator of its code, and records the event in the audit trail, in one step. Returns whether it was
   * replaced: it may have changed since, and a new code must not be that of another account.
   */
  replace(account: Account, together: ReplacedTogether, call: Call): Promise<boolean>;
  /** Records an event of an account in the audit trail, without changing the account. */
  recordEvent(accountId: string, event: string, call: Call): Promise<void>;
}

export type NewAccount = Omit<Account, "createdAt" | "revision">;

/** What is written in one step with a new account. */
export interface CreatedTogether {
  /** Whether the person gets a vault that they own alone, with the id of the account. */
  readonly personalVault: boolean;
  /** Records that this account uses up. */
  readonly puts?: readonly RecordPut[];
}

/** What is written in one step with the new state of an account. */
export interface ReplacedTogether {
  readonly event?: RecordEvent | undefined;
  /** Records that this change uses up. */
  readonly puts?: readonly RecordPut[];
}

/** What the accounts are stored with. */
export interface AccountStoreParts {
  readonly clock: Clock;
  readonly tenantId: string;
  readonly own: Pick<Operations, "getRecord" | "putRecord" | "putRecords">;
}

export function createAccountStore(parts: AccountStoreParts): AccountStore {
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
    const record = await own.getRecord({ tenantId, collection, key: accountId, activeOwner: true }, call);
    if (record === undefined) return undefined;
    const { createdAt, revision } = record;
    return { ...storedAccount.parse(JSON.parse(record.value)), accountId, createdAt, revision };
  }

  /** Lets the locator find the account. The account decides whether its recovery code still has it. */
  const pointTo = (accountId: string, locator: string): RecordPut => ({
    record: {
      collection: locators,
      key: locator,
      tenantId,
      principalId: accountId,
      oauthClientId: "",
      value: JSON.stringify({ accountId }),
      createdAt: clock.now(),
      expiresAt: undefined,
    },
    expectedRevision: 0,
  });

  async function removal(locator: string, call: Call): Promise<readonly RecordPut[]> {
    const record = await own.getRecord({ tenantId, collection: locators, key: locator }, call);
    return record === undefined
      ? []
      : [{ record: { ...record, expiresAt: clock.now() }, expectedRevision: record.revision }];
  }

  return {
    find,

    async findByLocator(locator, call) {
      const record = await own.getRecord({ tenantId, collection: locators, key: locator }, call);
      if (record === undefined) return undefined;
      const account = await find(storedLocator.parse(JSON.parse(record.value)).accountId, call);
      return account?.recovery?.locator === locator ? account : undefined;
    },

    async create(account, { personalVault, puts = [] }, call) {
      const { accountId, recovery } = account;
      const created = await own.putRecords(
        {
          puts: [
            { record: recordOf({ ...account, createdAt: clock.now() }), expectedRevision: 0 },
            ...(recovery === undefined ? [] : [pointTo(accountId, recovery.locator)]),
            ...puts,
          ],
          alsoPrincipal: { tenantId, principalId: accountId, active: true },
          alsoVault: personalVault ? { tenantId, vaultId: accountId, ownerId: accountId } : undefined,
          event: { subject: `account:${accountId}`, event: "created" },
        },
        call,
      );
      return created.ok;
    },

    async replace(account, { event, puts: more = [] }, call) {
      const { accountId, revision, recovery } = account;
      const before = await find(accountId, call);
      if (before?.revision !== revision) return false;
      const [old, wanted] = [before.recovery?.locator, recovery?.locator];
      const puts = [
        { record: recordOf(account), expectedRevision: revision },
        ...(wanted === undefined || wanted === old ? [] : [pointTo(accountId, wanted)]),
        ...(old === undefined || wanted === old ? [] : await removal(old, call)),
        ...more,
      ];
      return (await own.putRecords({ puts, event }, call)).ok;
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
