import { randomUUID } from "node:crypto";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { createAccountStore } from "@platform-rpc/accounts/people/account-store";
import type { Storage } from "@platform-rpc/server";
import { createRecordOperations } from "@platform-rpc/server/host";

/** Creates and changes accounts in a storage, as the pages of the accounts listener do. */
export function accountsIn(storage: Storage) {
  const clock = { now: () => Date.now() };
  const accounts = createAccountStore({ own: createRecordOperations({ storage, clock }), clock, tenantId: "acme" });
  const call = ownCall("test", { newId: randomUUID });
  const wrappedKeys = { version: 1 as const, salt: "AA", nonce: "AA", ciphertext: "AA" };
  const passkey = {
    id: "key-1",
    publicKey: "AA",
    counter: 0,
    transports: [],
    backedUp: false,
    name: "Laptop",
    createdAt: 1,
    lastUsedAt: 1,
  };
  const newRecovery = () => ({
    locator: randomUUID().replaceAll("-", "").slice(0, 22),
    signInPublicKey: "A".repeat(43),
    wrappedKeys,
  });
  const find = async (accountId: string) => {
    const account = await accounts.find(accountId, call);
    if (account === undefined) throw new Error(`there is no account ${accountId}`);
    return account;
  };
  return {
    signUp: (accountId: string) =>
      accounts.create(
        { accountId, displayName: accountId, passkeys: [passkey], recovery: newRecovery() },
        { personalVault: false },
        call,
      ),
    async replaceCode(accountId: string) {
      const events = [{ subject: `account:${accountId}`, event: "recovery code replaced" }];
      await accounts.replace(await find(accountId), { recovery: newRecovery() }, { events }, call);
    },
    async removePasskey(accountId: string) {
      const events = [{ subject: `passkey:${accountId}/key-1`, event: "removed" }];
      await accounts.replace(await find(accountId), { passkeys: [] }, { events }, call);
    },
    deleteAccount: async (accountId: string) => accounts.remove(await find(accountId), {}, call),
    exists: async (accountId: string) => (await accounts.find(accountId, call)) !== undefined,
    passkeys: async (accountId: string) => (await find(accountId)).value.passkeys.length,
    mustConfirm: async (accountId: string) => (await find(accountId)).value.mustConfirmCode === true,
  };
}
