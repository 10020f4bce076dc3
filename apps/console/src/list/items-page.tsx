import { type ComponentProps, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { type Asked, isSelectable, useSelection } from "../bulk/selection.js";
import { useBulk } from "../bulk/use-bulk.js";
import { NewItemMenu } from "../editing/new-item-menu.js";
import { ErrorMessage } from "../elements/error-message.js";
import { useNavigate } from "../elements/link.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { useTitle } from "../elements/use-title.js";
import { countOf } from "../items/count-of.js";
import { bestFirst, type ItemRow, sortRows, wantedRows } from "../items/item-rows.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { useItemChanges } from "../vaults/item-changes.js";
import { useLibrary, useVaultOf } from "../vaults/library.js";
import { canChange, canDestroy, canWrite, type OwnVault } from "../vaults/own-vault.js";
import { ManageVault } from "../vaults/vault-buttons.js";
import { Chips } from "./chips.js";
import { DetailPane } from "./detail-pane.js";
import { ItemList } from "./item-list.js";
import { ListNotices } from "./list-notices.js";
import { RecentItems, useRecent } from "./recent-items.js";
import { SelectedItems } from "./selected-items.js";
import { useNarrowing } from "./use-search.js";
import { useSorting } from "./use-sorting.js";
import "./list.css";
import { focusedKey, focusRow, moveFocus } from "../elements/row-focus.js";

// Loaded when they are first shown.
const NoItems = lazyPart(async () => (await import("./no-items.js")).NoItems);
const DeleteForEver = lazyPart(async () => (await import("../detail/delete-for-ever.js")).DeleteForEver);

export interface ItemsPageProps {
  /** Undefined: the items of all vaults. */
  readonly vaultId?: string;
  readonly deleted?: boolean;
  readonly favourites?: boolean;
  /** The key of the item that is open. */
  readonly item?: string | undefined;
  readonly edit?: true | undefined;
  /** The kind of a new item that is written. */
  readonly new?: string | undefined;
}

export function ItemsPage(props: ItemsPageProps) {
  const { vaultId, deleted = false, favourites = false, item: openKey, edit, new: newKind } = props;
  const { vaults, isListed, rows, feeds, error } = useLibrary();
  const vault = vaults?.find((each) => each.vaultId === vaultId);
  const missing = vaultId !== undefined && isListed && vault === undefined;
  const name = missing ? "No such vault" : nameOf(props, vault);
  useTitle(name);
  const navigate = useNavigate();
  const changes = useItemChanges();
  const bulk = useBulk();
  const [narrowing, narrow] = useNarrowing(`${deleted} ${favourites} ${vaultId}`);
  const { search, kind, tag } = narrowing;
  const [asked, ask] = useState<Asked>();
  const openRow = rows.find(({ key }) => key === openKey);
  useRecent(openRow?.key);
  const [conflict, setConflict] = useState<ItemRow>();
  const searchField = useRef<HTMLInputElement>(null);
  const typed = useDeferredValue(search);
  const listed = useMemo(
    () => wantedRows(rows, { search: "", deleted, vaultId, favourites }),
    [rows, deleted, vaultId, favourites],
  );
  const [sorting, setSorting] = useSorting();
  const wanted = useMemo(
    () => bestFirst(sortRows(wantedRows(listed, { search: typed, deleted, vaultId, kind, tag }), sorting), typed),
    [listed, typed, deleted, vaultId, kind, tag, sorting],
  );
  const pending = useMemo(() => listed.filter(({ content }) => content === undefined).length, [listed]);
  const { selection, select, selectFocused, selectAll } = useSelection(wanted);

  const vaultOf = useVaultOf();
  const canAdd = !deleted && vaults?.some((each) => each.vaultId === (vaultId ?? each.vaultId) && canWrite(each));
  const destroyable = deleted ? listed.filter((row) => isSelectable(row) && canDestroy(vaultOf(row))) : [];
  const show = (item: string | undefined) => navigate({ to: ".", search: item === undefined ? {} : { item } });
  const open = (item: string) =>
    // The Back of the browser closes the item, however many were looked at.
    navigate({ to: ".", search: { item }, replace: openKey !== undefined });

  const remove = async (row: ItemRow) => {
    const outcome = await changes.remove(row);
    if (outcome === "deleted" && row.key === openKey) show(undefined);
    if (outcome === "conflict") setConflict(row);
    if (outcome === "conflict" && row.key !== openKey) show(row.key);
  };
  const askOrRemove = (row: ItemRow) => {
    const vault = vaultOf(row);
    if (row.item.deleted || !canChange(vault)) return;
    // It cannot be undone.
    if (!vault?.retentionDays) ask({ what: "delete", rows: [row] });
    else void remove(row);
  };
  useShortcuts({
    "/": () => searchField.current?.focus(),
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    Delete: () => {
      const key = focusedKey() ?? openKey;
      const row = wanted.find((each) => each.key === key);
      if (row === undefined || changes.busy) return;
      if (!moveFocus(1)) moveFocus(-1);
      askOrRemove(row);
    },
    u: bulk.undo ?? (() => changes.deleted && changes.restore(changes.deleted)),
    x: () => selectFocused(false),
    X: () => selectFocused(true),
    Escape: () => selectAll(false),
  });
  // An item that closes gives the focus back to its row: on a phone, the list was not shown.
  const lastKey = useRef(openKey);
  useEffect(() => {
    if (openKey === undefined && lastKey.current !== undefined && document.activeElement === document.body) {
      focusRow(lastKey.current);
    }
    lastKey.current = openKey;
  }, [openKey]);

  const isNarrowed = kind !== undefined || tag !== undefined;
  const isAll = vaultId === undefined && !deleted && !favourites && !isNarrowed && typed === "";
  const isDetail = openKey !== undefined || newKind !== undefined;
  const loading =
    (!isListed && error == null && (vaults === undefined || (vaultId !== undefined && vault === undefined))) ||
    [...feeds].some(([id, { loadedAt, keptAt = loadedAt }]) => keptAt === undefined && (vaultId ?? id) === id);
  return (
    <div
      className="vault"
      data-detail={isDetail}
      data-empty={(!isDetail && !loading && listed.length === 0) || undefined}
    >
      <section className="list" aria-labelledby="list">
        <div className="list-head">
          <div className="list-title">
            <h1 id="list" dir="auto">
              {name}
            </h1>
            {vault?.isManaged && <ManageVault vault={vault} />}
            {selection.size === 0 && destroyable.length > 0 && (
              <PartBoundary>
                <DeleteForEver rows={destroyable} words="Empty" />
              </PartBoundary>
            )}
            {canAdd && newKind === undefined && !edit && <NewItemMenu />}
          </div>
          {!missing && (listed.length > 0 || loading) && (
            <input
              ref={searchField}
              type="search"
              aria-label="Search"
              aria-keyshortcuts="/"
              placeholder={`Search ${countOf(listed)} (/)`}
              value={search}
              autoComplete="off"
              onChange={(event) => narrow({ search: event.target.value })}
              onKeyDown={(event) => {
                if (event.key === "ArrowDown" && moveFocus(1)) event.preventDefault();
                // Left, so that the keys of the list work.
                if (event.key === "Escape" && search === "") event.currentTarget.blur();
              }}
            />
          )}
          {listed.length > 1 && (
            <div className="list-tools">
              <select aria-label="Order" value={sorting} onChange={({ target }) => setSorting(target.value)}>
                <option value="name">By name</option>
                <option value="changed">By last change</option>
              </select>
              <Chips rows={listed} narrowing={narrowing} onNarrow={narrow} />
              {pending > 0 && (
                <p className="hint" data-decrypting={pending}>
                  {typed.trim() === ""
                    ? `Decrypting ${countOf({ length: pending })}…`
                    : `Searched ${listed.length - pending} of ${countOf(listed)}. Decrypting the others…`}
                </p>
              )}
            </div>
          )}
          {isAll && <RecentItems rows={listed} />}
        </div>
        <ListNotices vaultId={vaultId} />
        {openKey === undefined && changes.error != null && <ErrorMessage error={changes.error} />}
        {bulk.error != null && <ErrorMessage error={bulk.error} />}
        <SelectedItems
          {...{ selection, selectAll, rows: wanted, listed, deleted, bulk, asked }}
          onAsk={ask}
          onDelete={(all) => {
            const [first] = all;
            if (first !== undefined && all.length === 1) void remove(first);
            else bulk.remove(all);
          }}
          onConflict={(row) => {
            if (bulk.run?.kind === "delete") setConflict(row);
            show(row.key);
          }}
        />
        {wanted.length > 0 ? (
          <ItemList
            rows={wanted}
            openKey={openKey}
            selection={selection}
            canSelect={(row) => isSelectable(row) && canChange(vaultOf(row))}
            onOpen={open}
            onSelect={select}
            vaultNameOf={vaultId === undefined && (vaults?.length ?? 0) > 1 ? (row) => vaultOf(row)?.name : undefined}
          />
        ) : (
          <NothingListed
            {...{ vaultId, deleted, favourites, missing, loading }}
            narrowed={isNarrowed}
            adding={newKind !== undefined}
            failed={error != null}
            search={typed}
          />
        )}
      </section>
      <DetailPane
        row={openRow}
        openKey={openKey}
        edited={edit === true}
        newKind={newKind}
        vaultId={vaultId}
        onClose={() => show(undefined)}
        onEdited={() => show(openKey)}
        onTag={(chosen) => {
          narrow({ search: "", kind: undefined, tag: chosen });
          show(undefined);
        }}
        loading={loading}
        empty={wanted.length === 0}
        conflict={conflict?.key === openKey ? conflict : undefined}
        onConflictEnd={() => setConflict(undefined)}
        onDelete={askOrRemove}
        onDeleteAnyway={(row) => {
          setConflict(undefined);
          void remove(row);
        }}
      />
    </div>
  );
}

function NothingListed({ loading, ...props }: ComponentProps<typeof NoItems> & { readonly loading: boolean }) {
  if (loading && !props.missing) {
    return (
      <p role="status" className="empty">
        Loading the items…
      </p>
    );
  }
  return (
    <PartBoundary>
      <NoItems {...props} />
    </PartBoundary>
  );
}

function nameOf({ vaultId, deleted, favourites }: ItemsPageProps, vault: OwnVault | undefined): string {
  if (vaultId !== undefined) return vault?.name ?? "Vault";
  if (favourites) return "Favourites";
  return deleted ? "Deleted" : "All items";
}
