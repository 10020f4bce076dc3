import { useCallback } from "react";
import { useLibrary } from "./library.js";
import type { OwnVault } from "./own-vault.js";

/** Returns a function that names vaults, for a list of items of all of them. */
export function useVaultNames(): (vaultId: string) => string {
  const { vaults } = useLibrary();
  return useCallback((vaultId: string) => nameIn(vaults, vaultId), [vaults]);
}

/** Returns the name of a vault. One that is not listed is named by its id. */
export function nameIn(vaults: readonly OwnVault[] | undefined, vaultId: string): string {
  return vaults?.find((vault) => vault.vaultId === vaultId)?.name ?? vaultId;
}
