import { createClient } from "@connectrpc/connect";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { createVaultFeed, type VaultFeed } from "../feed/vault-feed.js";
import { type Contents, createContents } from "../items/contents.js";
import { createRowOrder, type ItemRow, rowOf } from "../items/item-rows.js";
import { openContent } from "../items/open-content.js";
import { type Calls, useConsole } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";

const pageSize = 500;

/** Longer than the server waits for a change. */
const timeoutMs = 40_000;

interface OpenVault {
  readonly feed: VaultFeed;
  readonly contents: Contents;
  readonly order: ReturnType<typeof createRowOrder>;
}

/** The vaults that were opened, until the browser leaves the page: a person who comes back to one can read it without the server. */
const opened = new Map<string, OpenVault>();

/** Follows a vault while the page is shown, and decrypts its items. */
export function useVault(vaultId: string) {
  const { session, calls } = useConsole();
  const [{ feed, contents, order }] = useState(() => {
    const vault = opened.get(vaultId) ?? openVault(vaultId, session, calls);
    opened.set(vaultId, vault);
    return vault;
  });
  const snapshot = useSyncExternalStore(feed.subscribe, feed.snapshot);
  const revision = useSyncExternalStore(contents.subscribe, contents.revision);
  const { items } = snapshot.copy;
  useEffect(() => {
    feed.resume();
    return feed.pause;
  }, [feed]);
  useEffect(() => contents.want(items.values()), [contents, items]);
  const rows = useMemo<readonly ItemRow[]>(
    // The revision says when there are more contents.
    () => (revision < 0 ? [] : order([...items.values()].map((item) => rowOf(item, contents.get(item))))),
    [items, contents, order, revision],
  );
  return { feed, snapshot, rows };
}

function openVault(vaultId: string, session: ConsoleSession, calls: Calls): OpenVault {
  const vaults = createClient(MemberVaultService, calls.member);
  return {
    feed: createVaultFeed({
      list: (wanted, signal) => vaults.listChanges({ vaultId, limit: pageSize, ...wanted }, { signal, timeoutMs }),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    }),
    contents: createContents((item) => openContent({ vaultId, item }, session)),
    order: createRowOrder(),
  };
}
