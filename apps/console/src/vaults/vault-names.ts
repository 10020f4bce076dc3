import { useCallback } from "react";
import { useLibrary } from "./library.js";

/** Returns a function that names a vault, also one that the person has lost. While they are loading, a name is "…". */
export function useVaultNames(): (vaultId: string) => string {
  const { vaults } = useLibrary();
  return useCallback(
    (vaultId: string) => {
      if (vaults === undefined) return "…";
      return vaults.find((vault) => vault.vaultId === vaultId)?.name ?? "Vault that you cannot open";
    },
    [vaults],
  );
}
