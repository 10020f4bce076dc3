import { entriesOf } from "@platform-rpc/items/vault/entries-of";
import { nameOfVault } from "@platform-rpc/items/vault/vault-key";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import { useCallback, useEffect, useState } from "react";
import type { KeptCopies } from "../feed/kept-copies.js";
import { type Members, useConsole } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import { createVaultChanges } from "./change-vaults.js";
import { type OwnVault, ownVault } from "./own-vault.js";
import { hasSeenNewerName } from "./seen-names.js";

/** How often the vaults are listed again, in milliseconds: another person may have shared one. After a failure, sooner. */
const [everyMs, afterFailureMs] = [60_000, 8_000];

interface ListedVaults {
  /** Undefined until they are listed, unless the browser has kept them. */
  readonly vaults?: readonly OwnVault[];
  readonly isListed?: true;
  /** Why they could not be listed the last time. */
  readonly error?: unknown;
}

/**
 * Lists all vaults of the person, and again from time to time. What the browser has kept is there until the server answers. `again` lists
 * them now, and resolves when that is done.
 */
export function useVaults(kept: KeptCopies): ListedVaults & { readonly again: () => Promise<void> } {
  const { session, members } = useConsole();
  const [listed, setListed] = useState<ListedVaults>({});
  const [asked, setAsked] = useState({ answer() {} });
  const again = useCallback(() => new Promise<void>((answer) => setAsked({ answer })), []);
  useEffect(() => {
    const open = async () => {
      const known = await kept.vaults;
      if (known === undefined) return;
      const vaults = await openVaults(known, session);
      setListed((listed) => ({ vaults, ...listed }));
    };
    open().catch(() => undefined);
  }, [session, kept]);
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (changes: ListedVaults, afterMs: number) => {
      if (!ended.signal.aborted) {
        setListed(({ error: _, ...before }) => ({ ...before, ...changes }));
        timer = setTimeout(again, afterMs);
      }
      asked.answer();
    };
    listVaults(session, members, kept, ended.signal).then(
      (vaults) => next({ vaults, isListed: true }, everyMs),
      (error) => next({ error }, afterFailureMs),
    );
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [session, members, kept, asked, again]);
  return { ...listed, again };
}

async function listVaults(
  session: ConsoleSession,
  members: Members,
  kept: KeptCopies,
  signal: AbortSignal,
): Promise<readonly OwnVault[]> {
  const all: MemberVault[] = [];
  const listed = entriesOf<MemberVault, string>("", Error, async (pageToken) => {
    const { vaults, nextPageToken } = await members.listVaults({ pageToken }, { signal });
    return { entries: vaults, next: nextPageToken || undefined };
  });
  for await (const vault of listed) all.push(vault);
  const vaults = await createVaultChanges(session, members).withPersonalKey(all);
  kept.list(vaults);
  return openVaults(vaults, session);
}

async function openVaults(vaults: readonly MemberVault[], session: ConsoleSession): Promise<readonly OwnVault[]> {
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
