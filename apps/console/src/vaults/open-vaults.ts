import { nameOfVault } from "@platform-rpc/accounts/keys/vault-keys";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import type { Calls } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import { createVaultChanges } from "./change-vaults.js";
import { type OwnVault, ownVault } from "./own-vault.js";

/** Opens the names of listed vaults. The personal one gets its key if it has none. */
export async function openVaults(
  listed: readonly MemberVault[],
  session: ConsoleSession,
  calls: Calls,
): Promise<readonly OwnVault[]> {
  const { tenantId, principalId, keys } = session;
  const vaults = await createVaultChanges(session, calls.member).withPersonalKey(listed);
  return Promise.all(
    vaults.map(async (vault) => {
      const { vaultId, key, encryptedName } = vault;
      const reader = { tenantId, vaultId, principalId, member: keys?.member, key };
      return ownVault(vault, await nameOfVault(reader, encryptedName), session);
    }),
  );
}
