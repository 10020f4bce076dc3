import { nameOfVault } from "@platform-rpc/items/vault/vault-key";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import type { Calls } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import { createVaultChanges } from "./change-vaults.js";
import { type OwnVault, ownVault } from "./own-vault.js";
import { hasSeenNewerName } from "./seen-names.js";

/** Gives the personal vault a key if it has none. Resolves with the vaults as they are then. */
export function withPersonalKey(
  listed: readonly MemberVault[],
  session: ConsoleSession,
  calls: Calls,
): Promise<readonly MemberVault[]> {
  return createVaultChanges(session, calls.member).withPersonalKey(listed);
}

/** Opens the names of vaults, and sorts them by it, the personal one first. */
export async function openVaults(
  vaults: readonly MemberVault[],
  session: ConsoleSession,
): Promise<readonly OwnVault[]> {
  const { tenantId, principalId, keys } = session;
  const opened = await Promise.all(
    vaults.map(async (vault) => {
      const { vaultId, key, encryptedName, revision } = vault;
      const reader = { vaultId, key, boundTo: principalId, wrappingKey: keys.member.wrappingKey };
      const name = await nameOfVault(reader, { tenantId, encryptedName, revision, personId: principalId });
      const isOlder = await hasSeenNewerName(`${principalId}/${vaultId}`, revision);
      return ownVault(vault, name, session, isOlder);
    }),
  );
  const isPersonal = ({ vaultId }: OwnVault) => vaultId === principalId;
  const { compare } = new Intl.Collator();
  return opened.sort((one, two) => Number(isPersonal(two)) - Number(isPersonal(one)) || compare(one.name, two.name));
}
