import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { Button } from "react-aria-components/Button";
import { summaryOf } from "../bulk/bulk-run.js";
import { ErrorWords } from "../elements/error-message.js";
import { Sheet } from "../elements/sheet.js";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import { canWrite } from "../vaults/own-vault.js";
import { type Move, startMove } from "./start-move.js";

interface MoveSheetProps {
  readonly rows: readonly ItemRow[];
  /** Whether the items stay where they are. Default: false. */
  readonly copy?: boolean;
  /** Called with the keys of the new items, once all are there. */
  readonly onDone: (keys: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Asks to which vault items are moved or copied, and does that. */
export function MoveSheet({ rows, copy = false, onDone, onClose }: MoveSheetProps) {
  const { session, calls } = useConsole();
  const library = useLibrary();
  const isElsewhere = ({ vaultId }: { readonly vaultId: string }) =>
    copy || rows.some((row) => row.vaultId !== vaultId);
  const targets = library.vaults?.filter((vault) => !vault.deleted && canWrite(vault) && isElsewhere(vault)) ?? [];
  const [chosen, setChosen] = useState(targets[0]?.vaultId ?? "");
  const [move, setMove] = useState<Move>();
  const to = targets.find(({ vaultId }) => vaultId === chosen);
  const moved = copy ? rows : rows.filter(({ vaultId }) => vaultId !== chosen);
  const what = rows.length === 1 ? `“${rows[0]?.title}”` : countOf(rows);
  const verb = copy ? "Copy" : "Move";
  return (
    <Sheet title={`${verb} ${what} to another vault`} onClose={onClose}>
      {move !== undefined ? (
        <Moving move={move} done={copy ? "Copied" : "Moved"} onDone={onDone} onClose={onClose} toVaultId={chosen} />
      ) : to === undefined ? (
        <>
          <p>There is no other vault in which you can write. Create one first.</p>
          <div className="actions">
            <Button onPress={onClose}>Close</Button>
          </div>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setMove(startMove({ rows: moved, to, copy, session, calls, library }));
          }}
        >
          <label htmlFor="move-to">Vault</label>
          <select id="move-to" value={chosen} onChange={({ target }) => setChosen(target.value)}>
            {targets.map(({ vaultId, name }) => (
              <option key={vaultId} value={vaultId}>
                {name}
              </option>
            ))}
          </select>
          <p className="hint">
            {copy
              ? "Everybody who can read that vault can read the copy. It has no history."
              : "Everybody who can read that vault can then read it, with its history. Here it is deleted in the same step, and can be restored like every other deleted item."}
          </p>
          <div className="actions">
            <Button className="quiet" onPress={onClose}>
              Cancel
            </Button>
            <Button type="submit" className="primary">
              {rows.length === 1 ? verb : `${verb} ${countOf(moved)}`}
            </Button>
          </div>
        </form>
      )}
    </Sheet>
  );
}

interface MovingProps {
  readonly move: Move;
  readonly toVaultId: string;
  /** What became of the items, in a word. */
  readonly done: string;
  readonly onDone: (keys: readonly string[]) => void;
  readonly onClose: () => void;
}

/** How a run goes, and which items it could not move. */
function Moving({ move, toVaultId, done, onDone, onClose }: MovingProps) {
  const snapshot = useSyncExternalStore(move.subscribe, move.snapshot);
  const { state, total, outcomes } = snapshot;
  const { conflicts, failures, left, ...ended } = summaryOf(snapshot);
  const isDone = state === "ended" && ended.done.length === total;
  const finish = useEffectEvent(() => {
    onClose();
    onDone(
      [...outcomes.values()].flatMap((each) => (each.outcome === "done" ? [`${toVaultId}/${each.result.itemId}`] : [])),
    );
  });
  useEffect(() => {
    if (isDone) finish();
  }, [isDone]);
  if (state !== "ended") {
    return (
      <>
        <p role="status">
          {outcomes.size} of {countOf({ length: total })}
        </p>
        <div className="actions">
          <Button isDisabled={state === "stopping"} onPress={move.stop}>
            {state === "stopping" ? "Stopping…" : "Stop"}
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <p role="alert">
        {done} {ended.done.length} of {countOf({ length: total })}. The others stay where they are.
      </p>
      <ul>
        {conflicts.map(({ key, title }) => (
          <li key={key}>{title}: changed in the meantime. Look at it, and try again.</li>
        ))}
        {failures.map(({ target, error }) => (
          <li key={target.key}>
            {target.title}
            <ErrorWords error={error} />
          </li>
        ))}
      </ul>
      <div className="actions">
        {failures.length + left > 0 && <Button onPress={move.again}>Try again</Button>}
        <Button className="quiet" onPress={onClose}>
          Close
        </Button>
      </div>
    </>
  );
}
