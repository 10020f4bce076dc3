import type { Call, Clock, Operations } from "@platform-rpc/server";
import type { FoundRecord, RecordEvent, RecordPut } from "@platform-rpc/server/host";
import { type Account, accounts, locators } from "./account.js";

export type NewAccount = Omit<Account, "tenantId" | "createdAt">;

type AccountChange = Partial<Omit<Account, "tenantId" | "accountId">>;

/** What happens in the same step: what is used up or created, revoked, and recorded in the audit trail. */
export interface Together {
  readonly puts?: readonly RecordPut[];
  readonly alsoRevoked?: readonly string[];
  readonly events?: readonly RecordEvent[];
}

export interface AccountStoreParts {
  readonly clock: Clock;
  readonly tenantId: string;
  readonly own: Pick<Operations, "getRecord" | "putRecords">;
}

export type AccountStore = ReturnType<typeof createAccountStore>;

export function createAccountStore({ own, clock, tenantId }: AccountStoreParts) {
  const findLocator = async (locator: string, call: Call) =>
    locators.open(await own.getRecord(locators.key(tenantId, locator), call));

  const createLocator = (locator: string, accountId: string) =>
    locators.create({ tenantId, locator, accountId }, clock.now());

  /** Finds the account of an active principal. */
  async function find(accountId: string, call: Call): Promise<FoundRecord<Account> | undefined> {
    if (accountId === "") return undefined;
    return accounts.open(await own.getRecord({ ...accounts.key(tenantId, accountId), activeOwner: true }, call));
  }

  return {
    find,

    async findByLocator(locator: string, call: Call) {
      const found = await findLocator(locator, call);
      const account = found && (await find(found.value.accountId, call));
      return account?.value.recovery?.locator === locator ? account : undefined;
    },

    /**
     * Creates an account and its principal, in one step with what is created or used up with them. Returns whether it was created: the id
     * and the code must be new, and everything else as expected.
     *
     * @param together.personalVault whether the person gets a vault that they own alone, with the id of the account.
     */
    async create(account: NewAccount, together: Together & { readonly personalVault: boolean }, call: Call) {
      const { personalVault, puts = [], events = [], alsoRevoked = [] } = together;
      const { accountId, recovery } = account;
      const now = clock.now();
      const created = await own.putRecords(
        {
          puts: [
            accounts.create({ tenantId, createdAt: now, ...account }, now),
            ...(recovery === undefined ? [] : [createLocator(recovery.locator, accountId)]),
            ...puts,
          ],
          alsoPrincipal: { tenantId, principalId: accountId, active: true },
          alsoVault: personalVault ? { tenantId, vaultId: accountId, ownerId: accountId } : undefined,
          events: [{ subject: `account:${accountId}`, event: "created" }, ...events],
          alsoRevoked,
        },
        call,
      );
      return created.ok;
    },

    /**
     * Replaces an account and the locator of its code in one step. Returns whether it was replaced: it may have changed since it was found,
     * and a new code must not be that of another account.
     */
    async replace(
      found: FoundRecord<Account>,
      change: AccountChange,
      { puts = [], ...together }: Together,
      call: Call,
    ) {
      const account = { ...found.value, ...change };
      const [old, wanted] = [found.value.recovery?.locator, account.recovery?.locator];
      const removed = old === undefined || wanted === old ? undefined : await findLocator(old, call);
      const written = [
        found.replace(account),
        ...(wanted === undefined || wanted === old ? [] : [createLocator(wanted, account.accountId)]),
        ...(removed === undefined ? [] : [removed.remove()]),
        ...puts,
      ];
      return (await own.putRecords({ puts: written, ...together }, call)).ok;
    },

    /**
     * Removes an account and the locator of its code, with the wrapped keys, and deactivates its principal, in one step. Returns whether it
     * was removed: it may have changed since it was found.
     */
    async remove(found: FoundRecord<Account>, { puts = [], events = [], ...together }: Together, call: Call) {
      const { accountId, recovery } = found.value;
      const located = recovery && (await findLocator(recovery.locator, call));
      const removed = await own.putRecords(
        {
          puts: [found.remove(), ...(located === undefined ? [] : [located.remove()]), ...puts],
          // Without an active principal, its tokens, sessions and refresh families are not valid.
          alsoPrincipal: { tenantId, principalId: accountId, active: false },
          events: [{ subject: `account:${accountId}`, event: "deleted" }, ...events],
          ...together,
        },
        call,
      );
      return removed.ok;
    },
  };
}
