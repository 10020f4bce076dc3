import type { Call } from "@platform-rpc/server";
import type { Context } from "hono";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { RequestError } from "../http/request-error.js";
import { createAccountStore } from "../people/account-store.js";
import { memberKeys } from "../people/member-keys.js";
import { createDeviceStore } from "../sessions/device-store.js";
import { signedIn } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { programCertificates, programUnlocks } from "../unlocks/program-unlock.js";
import { createOwnVaults } from "../vaults/own-vaults.js";
import { vaultCreations } from "../vaults/vault-key.js";
import { createAccessControl } from "./access.js";

/** How many items a request deletes at most, or a few more: it must end long before its deadline. */
const itemsInRequest = 200;
/** How many changes of the vault are read at once. */
const pageSize = 100;

/**
 * Deletes the account of the signed-in person: first the items of the vaults that nobody else can read, and the access of software, as they
 * would do it, and then all the rest in one commit. If a request fails, the next one continues. Returns false if items are left: then the
 * same request must be sent again. Require a recent sign-in.
 */
export function createAccountDeletion(parts: AccountsParts) {
  const { own, clock } = parts;
  const vaults = createOwnVaults({ own, operations: own, clock });
  const access = createAccessControl(parts);
  const accounts = createAccountStore(parts);
  const sessions = createSessionStore(parts);
  const devices = createDeviceStore(parts);

  /** Deletes items of a vault. Returns whether none is left that the person may delete. */
  async function deleteItems(vaultId: string, call: Call): Promise<boolean> {
    for (let afterSequence = 0, deleted = 0; deleted < itemsInRequest; ) {
      const query = { access: "member", vaultId, afterSequence, limit: pageSize } as const;
      const page = await own.listChanges(query, call);
      // There is no such vault, or an administrator has removed the person from it.
      if (!page.ok) return true;
      const live = page.items.filter(({ state }) => state === "live");
      for (const { itemId, version: baseVersion } of live) {
        // An item that was changed in between follows as a newer change. If an administrator lets the person only read, items are left.
        await own.deleteItem({ vaultId, itemId, baseVersion }, call);
      }
      if (!page.hasMore && live.length === 0) return true;
      deleted += live.length;
      afterSequence = page.sequence;
    }
    return false;
  }

  return async (context: Context<AccountsEnvironment>): Promise<boolean> => {
    const session = signedIn(context);
    const { principalId } = session;
    const call = callOf(context, "delete-account", session);
    // The personal vault has the id of the account. Of a vault with a key, only its owner has the key.
    const owned = (await vaults.listOwned(call)).filter(
      ({ vaultId, key }) => vaultId === principalId || key !== undefined,
    );
    for (const vaultId of new Set([principalId, ...owned.map((vault) => vault.vaultId)])) {
      if (!(await deleteItems(vaultId, call))) return false;
    }
    // Without its principal, software has no access. With this, it gets none if an administrator activates the principal again.
    await access.endSoftware(context);
    const account = await accounts.find(principalId, call);
    if (account === undefined) throw new RequestError("SIGNED_OUT");
    const { tenantId } = session;
    const found = [
      ...owned.map(({ key }) => key),
      memberKeys.open(await own.getRecord(memberKeys.key(tenantId, principalId), call)),
      programUnlocks.open(await own.getRecord(programUnlocks.key(tenantId, principalId), call)),
      programCertificates.open(await own.getRecord(programCertificates.key(tenantId, principalId), call)),
      vaultCreations.open(await own.getRecord(vaultCreations.key(tenantId, principalId), call)),
    ];
    const ending = await sessions.endingAll(session);
    const known = await devices.list(session);
    const puts = [...[...found, ...known].flatMap((record) => record?.remove() ?? []), ...ending.puts];
    if (!(await accounts.remove(account, { ...ending, puts }, call))) throw new RequestError("ACCOUNT_CHANGED");
    return true;
  };
}
