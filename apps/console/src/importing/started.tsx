import { type ReactNode, useEffect, useRef } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { FirstOf } from "../elements/first-of.js";
import { Link } from "../elements/link.js";
import { Moment } from "../elements/moment.js";
import type { Skipped } from "../import-formats/format.js";
import { quoted } from "../import-formats/item-builder.js";
import { countOf } from "../items/count-of.js";
import { useLibrary, useVault } from "../vaults/library.js";
import type { ImportRecord } from "./import-journal.js";
import { type ImportRun, totalsOf } from "./import-run.js";
import { SkippedList } from "./skipped-list.js";
import { type ActiveImport, useRun } from "./use-import.js";

interface StartedProps {
  readonly active: ActiveImport;
  readonly onCancel: () => void;
  readonly onUndo: () => void;
  readonly onClose: () => void;
}

/** Shows an import that was started: how far it is, how it ended, or what is known after a reload. */
export function Started(props: StartedProps) {
  const { run, undo } = props.active;
  const { list } = props.active.record;
  if (undo !== undefined) return <Undoing undo={undo} changed={list?.changed ?? []} onClose={props.onClose} />;
  if (run !== undefined) return <Importing {...props} run={run} />;
  return <Interrupted {...props} />;
}

const waits = {
  network: "The network is away, or the server does not answer. The import goes on by itself.",
  rate: "The server takes so many items in a minute. The import goes on by itself.",
} as const;

function Importing({ active, run, onCancel, onUndo, onClose }: StartedProps & { readonly run: ImportRun }) {
  const { snapshot } = useRun(run);
  const { done, rejected, error } = totalsOf(snapshot);
  const { cancelled, record } = active;
  if (snapshot.state !== "ended") {
    return (
      <Progress run={run} doing="Importing">
        <button type="button" className="quiet" disabled={cancelled} onClick={onCancel}>
          {cancelled ? "Cancelling…" : "Cancel"}
        </button>
      </Progress>
    );
  }
  const left = run.left();
  const changed = record.list?.changed.length ?? 0;
  return (
    <section aria-labelledby="import-state">
      <Heading
        words={
          left.length > 0
            ? `${cancelled ? "Cancelled" : "Paused"}: ${done} of ${countOf({ length: snapshot.total })} imported`
            : `Imported ${countOf({ length: done })}`
        }
      />
      {changed > 0 && <p>Fields were added to {countOf({ length: changed })} that the vault had already.</p>}
      <ErrorMessage error={error} />
      <SkippedList skipped={[...rejected, ...(record.list?.skipped ?? []), ...left]} title="Not imported" />
      <div className="actions">
        {left.length > 0 && !cancelled && (
          <button type="button" data-change className="primary" onClick={run.again}>
            Continue
          </button>
        )}
        <UndoButton record={record} onUndo={onUndo} />
        <button type="button" className="quiet" onClick={onClose}>
          {left.length > 0 && !cancelled ? `Cancel, and keep ${countOf({ length: done })}` : "Done"}
        </button>
      </div>
      <VaultLink vaultId={record.vaultId} />
    </section>
  );
}

interface UndoingProps {
  readonly undo: ImportRun;
  /** The titles of the items to which something was added. */
  readonly changed: readonly string[];
  readonly onClose: () => void;
}

function Undoing({ undo, changed, onClose }: UndoingProps) {
  const { snapshot } = useRun(undo);
  const { done, rejected, error } = totalsOf(snapshot);
  if (snapshot.state !== "ended") return <Progress run={undo} doing="Undoing the import of" />;
  const isWhole = error === undefined && snapshot.outcomes.size === snapshot.total;
  return (
    <section aria-labelledby="import-state">
      <Heading words={isWhole ? `Deleted ${countOf({ length: done })} again` : "The import is not undone yet"} />
      <ErrorMessage error={error} />
      <SkippedList skipped={[...rejected, ...undo.left(), ...changed.map(stays)]} title="Still there" />
      <div className="actions">
        {!isWhole && (
          <button type="button" data-change className="primary" onClick={undo.again}>
            Continue
          </button>
        )}
        <button type="button" className="quiet" onClick={onClose}>
          {isWhole ? "Done" : "Cancel, and keep the others"}
        </button>
      </div>
    </section>
  );
}

/** What was only added to stored items stays. */
function UndoButton({ record, onUndo }: { readonly record: ImportRecord; readonly onUndo: () => void }) {
  return (
    record.itemIds.length > 0 && (
      <button type="button" data-change onClick={onUndo}>
        Undo import
      </button>
    )
  );
}

function stays(title: string): Skipped {
  return {
    where: quoted(title),
    why: "It was in the vault before. What was added to it stays: remove it in the item.",
  };
}

/** What is left of an import after a reload: the page has no file any more. */
function Interrupted({ active, onUndo, onClose }: StartedProps) {
  const { vaultId, itemIds, startedAt, list } = active.record;
  const { rows, feeds } = useLibrary();
  const isLoading = feeds.get(vaultId)?.loadedAt === undefined;
  // Those that were stored, and deleted since, are not missing.
  const known = new Map(rows.filter((row) => row.vaultId === vaultId).map((row) => [row.item.itemId, row]));
  const stored = itemIds.flatMap((itemId) => known.get(itemId) ?? []).filter(({ item }) => !item.deleted);
  const missing = itemIds.flatMap((itemId, index) => {
    const title = list?.titles[index];
    const where = title === undefined ? `Item ${itemId}` : quoted(title);
    return known.has(itemId) ? [] : [{ where, why: "It was not stored before the page was left." }];
  });
  return (
    <section aria-labelledby="import-state">
      <Heading
        words={isLoading ? "Your last import" : `Your last import stored ${stored.length} of ${countOf(itemIds)}`}
      />
      <p>
        It began <Moment at={startedAt} />, and this page was left before you closed it.{" "}
        {!isLoading &&
          missing.length + (list?.changed.length ?? 0) > 0 &&
          "To import the rest, keep these, and choose the same file again: what the vault has already is skipped."}
      </p>
      <details>
        <summary>What was imported</summary>
        <FirstOf all={stored} most={50}>
          {({ title }) => title}
        </FirstOf>
      </details>
      {list === undefined && <p className="hint">Unlock your keys to see what was not imported, and why.</p>}
      <SkippedList skipped={[...(list?.skipped ?? []), ...(isLoading ? [] : missing)]} title="Not imported" />
      <div className="actions">
        <UndoButton record={active.record} onUndo={onUndo} />
        <button type="button" className="primary" onClick={onClose}>
          Keep the items
        </button>
      </div>
      <VaultLink vaultId={vaultId} />
    </section>
  );
}

interface ProgressProps {
  readonly run: ImportRun;
  readonly doing: string;
  /** What else can be done than to pause. */
  readonly children?: ReactNode;
}

function Progress({ run, doing, children }: ProgressProps) {
  const { snapshot, waitingFor } = useRun(run);
  const { done, rejected } = totalsOf(snapshot);
  const ended = done + rejected.length;
  const seconds = (performance.now() - run.startedAt) / 1000;
  const { total } = snapshot;
  const title = `${doing} ${countOf({ length: total })}`;
  const tenths = Math.floor((ended / total) * 10);
  return (
    <section aria-labelledby="import-state">
      <Heading words={title} />
      {/* Not after every call: a screen reader would not keep up. */}
      <p role="status" className="unseen">
        {tenths > 0 && `${tenths * 10} % done`}
      </p>
      <progress aria-labelledby="import-state" max={total} value={ended} />
      <p>
        {ended.toLocaleString("en")} of {total.toLocaleString("en")}
        {seconds > 1 && `, ${Math.round(ended / seconds)} a second`}
      </p>
      {waitingFor && <p className="hint">{waits[waitingFor]}</p>}
      <div className="actions">
        <button type="button" disabled={snapshot.state === "stopping"} onClick={run.stop}>
          {snapshot.state === "stopping" ? "Pausing…" : "Pause"}
        </button>
        {children}
      </div>
    </section>
  );
}

function Heading({ words }: { readonly words: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <h2 id="import-state" tabIndex={-1} ref={heading}>
      {words}
    </h2>
  );
}

function VaultLink({ vaultId }: { readonly vaultId: string }) {
  const vault = useVault(vaultId);
  return (
    vault && (
      <p>
        <Link to={`/vaults/${vaultId}`}>
          Open <bdi>{vault.name}</bdi>
        </Link>
      </p>
    )
  );
}
