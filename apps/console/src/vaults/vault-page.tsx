import { Suspense, useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { SelectionBar, useSelection } from "../bulk/selection.js";
import { useBulk } from "../bulk/use-bulk.js";
import { ErrorMessage } from "../elements/error-message.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { FeedBar } from "../feed/feed-bar.js";
import { type ItemRow, wantedRows } from "../items/item-rows.js";
import { useItemChanges } from "../items/use-item-changes.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { useConsole } from "../session/console-context.js";
import { ItemTable } from "./item-table.js";
import { NoItems, UndoBar } from "./undo-bar.js";
import { useVault } from "./use-vault.js";
import { useRetentionDays } from "./use-vaults.js";

// Loaded when they are first opened: the library of accessible components is as large as React.
const ItemSheet = lazyPart(async () => (await import("../items/item-sheet.js")).ItemSheet);
const BulkConfirmation = lazyPart(async () => (await import("../bulk/bulk-confirmation.js")).BulkConfirmation);
const BulkPanel = lazyPart(async () => (await import("../bulk/bulk-panel.js")).BulkPanel);
const Inspector = lazyPart(async () => (await import("../inspector/inspector.js")).Inspector);
const HelpSheet = lazyPart(async () => (await import("../keyboard/help-sheet.js")).HelpSheet);

/** The items of a vault, and what the person can do with them. */
export function VaultPage({ vaultId }: { readonly vaultId: string }) {
  const { keys } = useConsole().session;
  const retentionDays = useRetentionDays(vaultId);
  const { feed, snapshot, rows } = useVault(vaultId);
  const changes = useItemChanges(vaultId, feed.add);
  const bulk = useBulk(vaultId, feed.add);
  const [search, setSearch] = useState("");
  const [deleted, setDeleted] = useState(false);
  const [shown, setShown] = useState<{ readonly row: ItemRow; readonly changed: boolean }>();
  const [asking, setAsking] = useState(false);
  const [inspecting, setInspecting] = useState(false);
  const [help, setHelp] = useState(false);
  const searchField = useRef<HTMLInputElement>(null);
  const typed = useDeferredValue(search);
  const wanted = useMemo(() => wantedRows(rows, { search: typed, deleted }), [rows, typed, deleted]);
  const { selection, select, selectFocused, selectAll } = useSelection(wanted);
  const selected = [...selection.values()];
  const pending = useMemo(() => rows.filter(({ content }) => content === undefined).length, [rows]);
  const toggleFeed = () => (snapshot.state === "paused" ? feed.resume() : feed.pause());
  // Another function makes other columns, and their cells would lose the focus.
  const show = useCallback((row: ItemRow | undefined) => setShown(row && { row, changed: false }), []);
  const showConflict = (row: ItemRow) => setShown({ row, changed: true });
  const closeParts = () => {
    setShown(undefined);
    setAsking(false);
    setInspecting(false);
    setHelp(false);
  };
  useShortcuts({
    "/": () => searchField.current?.focus(),
    d: () => setDeleted(!deleted),
    p: toggleFeed,
    u: bulk.undo ?? changes.undo,
    x: () => selectFocused(false),
    X: () => selectFocused(true),
    i: () => setInspecting(!inspecting),
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
      <FeedBar
        snapshot={snapshot}
        onToggle={toggleFeed}
        onInspect={() => setInspecting(true)}
        onHelp={() => setHelp(true)}
      />
      <ErrorMessage error={snapshot.error} />
      <PartBoundary onClose={closeParts}>
        <Suspense>
          {inspecting && <Inspector onClose={() => setInspecting(false)} />}
          {shown && (
            <ItemSheet
              key={`${shown.row.item.itemId} ${shown.row.item.version}`}
              shown={shown.row}
              changed={shown.changed}
              vaultId={vaultId}
              retentionDays={retentionDays}
              changes={changes}
              onShow={show}
            />
          )}
          {asking && (
            <BulkConfirmation
              rows={selected}
              retentionDays={retentionDays}
              onDelete={() => {
                bulk.remove(selected);
                selectAll(false);
                setAsking(false);
              }}
              onClose={() => setAsking(false)}
            />
          )}
          {help && <HelpSheet onClose={() => setHelp(false)} />}
        </Suspense>
      </PartBoundary>
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
        {pending > 0 && (
          <span className="hint" data-decrypting={pending}>
            Decrypting {pending} titles…
          </span>
        )}
      </div>
      <UndoBar changes={changes} rows={rows} retentionDays={retentionDays} />
      <PartBoundary>
        <Suspense>
          {bulk.run && <BulkPanel run={bulk.run} bulk={bulk} retentionDays={retentionDays} onConflict={showConflict} />}
        </Suspense>
      </PartBoundary>
      {wanted.length === 0 ? (
        <NoItems loading={snapshot.state === "loading"} empty={rows.length === 0} search={typed} />
      ) : (
        <>
          <SelectionBar
            selection={selection}
            rows={wanted}
            busy={bulk.busy}
            onDelete={() => setAsking(true)}
            onClear={() => selectAll(false)}
          />
          <ItemTable
            rows={wanted}
            retentionDays={retentionDays}
            selection={selection}
            onOpen={show}
            onSelect={select}
            onSelectAll={selectAll}
          />
        </>
      )}
    </>
  );
}
