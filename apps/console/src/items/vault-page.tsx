import { lazy, Suspense, useDeferredValue, useMemo, useRef, useState } from "react";
import { FeedBar } from "../feed/feed-bar.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { ErrorMessage } from "../parts/error-message.js";
import { useConsole } from "../session/console-context.js";
import { useRetentionDays } from "../vaults/use-vaults.js";
import { type ItemRow, wantedRows } from "./item-rows.js";
import { ItemTable } from "./item-table.js";
import { NoItems } from "./no-items.js";
import { UndoBar } from "./undo-bar.js";
import { useItemChanges } from "./use-item-changes.js";
import { useVault } from "./use-vault.js";

// Loaded when they are first opened: the library of accessible components is as large as React.
const ItemSheet = lazy(async () => ({ default: (await import("./item-sheet.js")).ItemSheet }));
const HelpSheet = lazy(async () => ({ default: (await import("../keyboard/help-sheet.js")).HelpSheet }));

/** The items of a vault, and what the person can do with them. */
export function VaultPage({ vaultId }: { readonly vaultId: string }) {
  const { keys } = useConsole().session;
  const retentionDays = useRetentionDays(vaultId);
  const { feed, snapshot, rows } = useVault(vaultId);
  const changes = useItemChanges(vaultId, feed.add);
  const [search, setSearch] = useState("");
  const [deleted, setDeleted] = useState(false);
  const [shown, setShown] = useState<ItemRow>();
  const [help, setHelp] = useState(false);
  const searchField = useRef<HTMLInputElement>(null);
  const typed = useDeferredValue(search);
  const wanted = useMemo(() => wantedRows(rows, { search: typed, deleted }), [rows, typed, deleted]);
  const toggleFeed = () => (snapshot.state === "paused" ? feed.resume() : feed.pause());
  useShortcuts({
    "/": () => searchField.current?.focus(),
    d: () => setDeleted(!deleted),
    p: toggleFeed,
    u: changes.undo,
    "?": () => setHelp(true),
  });
  return (
    <>
      <h1>{vaultId}</h1>
      {keys === undefined && (
        <p className="notice">
          Your keys are locked in this browser, so that no item can be opened. <a href="/account">Unlock them</a>, and
          come back.
        </p>
      )}
      <FeedBar snapshot={snapshot} onToggle={toggleFeed} onHelp={() => setHelp(true)} />
      <ErrorMessage error={snapshot.error} />
      <div className="filters">
        <label htmlFor="search">Search</label>
        <input
          id="search"
          ref={searchField}
          type="search"
          value={search}
          autoComplete="off"
          onChange={(event) => setSearch(event.target.value)}
        />
        <label className="choice">
          <input type="checkbox" checked={deleted} onChange={(event) => setDeleted(event.target.checked)} />
          Show deleted items
        </label>
      </div>
      <UndoBar changes={changes} rows={rows} retentionDays={retentionDays} />
      {wanted.length === 0 ? (
        <NoItems loading={snapshot.state === "loading"} empty={rows.length === 0} search={typed} />
      ) : (
        <ItemTable rows={wanted} retentionDays={retentionDays} onOpen={setShown} />
      )}
      <Suspense>
        {shown && (
          <ItemSheet
            key={`${shown.item.itemId} ${shown.item.version}`}
            shown={shown}
            vaultId={vaultId}
            retentionDays={retentionDays}
            changes={changes}
            onShow={setShown}
          />
        )}
        {help && <HelpSheet onClose={() => setHelp(false)} />}
      </Suspense>
    </>
  );
}
