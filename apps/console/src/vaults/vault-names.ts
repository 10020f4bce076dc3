import { useCallback } from "react";
import { useLibrary } from "./library.js";
import type { OwnVault } from "./own-vault.js";

export function useVaultNames(): (vaultId: string) => string {
  const { vaults } = useLibrary();
  return useCallback((vaultId: string) => nameIn(vaults, vaultId), [vaults]);
}

/** Returns the name of a vault, also of one that the person has lost. @param vaults undefined: they are loading */
export function nameIn(vaults: readonly OwnVault[] | undefined, vaultId: string): string {
  if (vaults === undefined) return "…";
  return vaults.find((vault) => vault.vaultId === vaultId)?.name ?? "Vault that you cannot open";
}
