import { useEffect, useState } from "react";
import { useConsole } from "../session/console-context.js";
import type { OwnVault } from "./own-vault.js";
import type { VaultCopy } from "./vault-copy.js";

/** Compares the copies of vaults with signed heads whenever the vaults are listed. Returns what is wrong, by the ids of the vaults. */
export function useHeads(vaults: readonly OwnVault[] | undefined, copies: readonly VaultCopy[]) {
  const { session, calls } = useConsole();
  const [doubts, setDoubts] = useState<ReadonlyMap<string, string>>(new Map());
  const complete = copies.filter(({ feed }) => feed.snapshot().state === "live").map(({ vaultId }) => vaultId);
  const ready = JSON.stringify(complete);
  useEffect(() => {
    let ended = false;
    const check = async (vault: OwnVault) => {
      const listed = copies.find(({ vaultId }) => vaultId === vault.vaultId)?.feed.snapshot();
      if (listed?.state !== "live") return;
      const { checkHead } = await import("./vault-heads.js");
      const words = await checkHead(vault, listed.copy, session, calls);
      if (ended) return;
      setDoubts((before) => {
        if (before.get(vault.vaultId) === words) return before;
        const others = [...before].filter(([vaultId]) => vaultId !== vault.vaultId);
        return new Map(words === undefined ? others : [...others, [vault.vaultId, words]]);
      });
    };
    // What fails, such as a call without a network, is tried again when the vaults are listed next.
    if (ready !== "[]") for (const vault of vaults ?? []) check(vault).catch(() => undefined);
    return () => {
      ended = true;
    };
  }, [vaults, copies, ready, session, calls]);
  return doubts;
}
