import { useEffect, useState } from "react";
import { useConsole } from "../session/console-context.js";
import type { OwnVault } from "./own-vault.js";
import type { VaultCopy } from "./vault-copy.js";

/** How long the copies must not change before they are compared, in milliseconds. */
const settledMs = 500;

/** Compares the copies of vaults with signed heads when they are listed or change. Returns what is wrong, by the ids of the vaults. */
export function useHeads(vaults: readonly OwnVault[] | undefined, copies: readonly VaultCopy[]) {
  const { session, members } = useConsole();
  const [doubts, setDoubts] = useState<ReadonlyMap<string, string>>(new Map());
  const snapshots = copies.map(({ feed }) => feed.snapshot());
  const ready = JSON.stringify(snapshots.map(({ state, copy }) => state === "live" && copy.sequence));
  useEffect(() => {
    let ended = false;
    const check = async (vault: OwnVault) => {
      const feed = copies.find(({ vaultId }) => vaultId === vault.vaultId)?.feed;
      const listed = feed?.snapshot();
      if (feed === undefined || listed?.state !== "live") return;
      const { checkHead, storeHeads } = await import("./vault-heads.js");
      // It is added once.
      for (const end of ["platform-lock", "pagehide"]) addEventListener(end, storeHeads);
      const { headFindingInWords } = await import("@platform-rpc/items/vault/vault-head");
      const finding = await checkHead(vault, listed.copy, session, members);
      if (ended) return;
      // Of two that differ, the copy that this browser has kept may be the wrong one: the server is asked for all of it.
      if (finding?.what === "differs" && listed.copy.wasKept) return feed.discard("differs");
      const words = finding && headFindingInWords(finding);
      setDoubts((before) => {
        if (before.get(vault.vaultId) === words) return before;
        const others = [...before].filter(([vaultId]) => vaultId !== vault.vaultId);
        return new Map(words === undefined ? others : [...others, [vault.vaultId, words]]);
      });
    };
    // What fails, such as a call without a network, is tried again when the vaults are listed next.
    const timer = setTimeout(() => {
      for (const vault of vaults ?? []) check(vault).catch(() => undefined);
    }, settledMs);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [vaults, copies, ready, session, members]);
  return doubts;
}
