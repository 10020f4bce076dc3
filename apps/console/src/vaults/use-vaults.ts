import { createClient } from "@connectrpc/connect";
import { entriesOf } from "@platform-rpc/items/vault/entries-of";
import { type MemberVault, MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useCallback, useEffect, useState } from "react";
import { type Calls, useConsole } from "../session/console-context.js";
import { reloadIfUpdated } from "../session/page-version.js";
import type { ConsoleSession } from "../session/session.js";
import { type OwnVault, ownVault } from "./own-vault.js";

/** How often the vaults are listed again, in milliseconds: another person may have shared one. After a failure, sooner. */
const [everyMs, afterFailureMs] = [60_000, 8_000];

/** The vaults of the person, as they were last listed. */
interface ListedVaults {
  /** Undefined until they are listed. */
  readonly vaults?: readonly OwnVault[];
  /** Why they could not be listed the last time. */
  readonly error?: unknown;
}

/** Lists all vaults of the person, and again from time to time. `again` lists them now, and resolves when that is done. */
export function useVaults(): ListedVaults & { readonly again: () => Promise<void> } {
  const { session, calls } = useConsole();
  const [listed, setListed] = useState<ListedVaults>({});
  const [asked, setAsked] = useState({ answer() {} });
  const again = useCallback(() => new Promise<void>((answer) => setAsked({ answer })), []);
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (changes: ListedVaults, afterMs: number) => {
      if (!ended.signal.aborted) {
        setListed(({ vaults }) => ({ ...(vaults && { vaults }), ...changes }));
        timer = setTimeout(again, afterMs);
      }
      asked.answer();
    };
    listVaults(session, calls, ended.signal).then(
      (vaults) => next({ vaults }, everyMs),
      (error) => next({ error }, afterFailureMs),
    );
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [session, calls, asked, again]);
  return { ...listed, again };
}

async function listVaults(session: ConsoleSession, calls: Calls, signal: AbortSignal): Promise<readonly OwnVault[]> {
  // The first load does without the cryptography. It arrives while the vaults are listed.
  const opening = import("./open-vaults.js").catch(() => undefined);
  const members = createClient(MemberVaultService, calls.member);
  const all: MemberVault[] = [];
  const listed = entriesOf<MemberVault, string>("", Error, async (pageToken) => {
    const { vaults, nextPageToken } = await members.listVaults({ pageToken }, { signal });
    return { entries: vaults, next: nextPageToken || undefined };
  });
  for await (const vault of listed) all.push(vault);
  const opened = await opening;
  if (opened !== undefined) return opened.openVaults(all, session, calls);
  // The network is away again, or the server has another version of the page: the vaults have no names for a while.
  void reloadIfUpdated();
  return all.map((vault) => ownVault(vault, vault.vaultId, session));
}
