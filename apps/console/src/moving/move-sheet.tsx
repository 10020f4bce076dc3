import type { Item } from "@platform-rpc/types";
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { Button } from "react-aria-components/Button";
import { BulkPanel, type ShownRun } from "../bulk/bulk-panel.js";
import { Sheet } from "../elements/sheet.js";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import { canWrite } from "../vaults/own-vault.js";
import { startMove } from "./start-move.js";

interface MoveSheetProps {
  readonly rows: readonly ItemRow[];
  /** Whether the items stay where they are. Default: false. */
  readonly copy?: boolean;
  /** Called with the keys of the new items, once all are there. */
  readonly onDone: (keys: readonly string[]) => void;
  readonly onClose: () => void;
}

export function MoveSheet({ rows, copy = false, onDone, onClose }: MoveSheetProps) {
  const { session, members } = useConsole();
  const library = useLibrary();
  const isElsewhere = ({ vaultId }: { readonly vaultId: string }) =>
    copy || rows.some((row) => row.vaultId !== vaultId);
  const targets = library.vaults?.filter((vault) => !vault.deleted && canWrite(vault) && isElsewhere(vault)) ?? [];
  const [chosen, setChosen] = useState(targets[0]?.vaultId ?? "");
  const [move, setMove] = useState<ShownRun>();
  const to = targets.find(({ vaultId }) => vaultId === chosen);
  const moved = copy ? rows : rows.filter(({ vaultId }) => vaultId !== chosen);
  const what = rows.length === 1 ? `“${rows[0]?.title}”` : countOf(rows);
  const verb = copy ? "Copy" : "Move";
  return (
    <Sheet title={`${verb} ${what} to another vault`} onClose={onClose}>
      {move !== undefined ? (
        <Moving
          run={move}
          onDone={(items) => onDone(items.map(({ itemId }) => `${chosen}/${itemId}`))}
          onClose={onClose}
        />
      ) : to === undefined ? (
        <>
          <p>You cannot write in any other vault. Create one first.</p>
          <div className="actions">
            <Button onPress={onClose}>Close</Button>
          </div>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setMove(startMove({ rows: moved, to, copy, session, members, library }));
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
  readonly run: ShownRun;
  readonly onDone: (items: readonly Item[]) => void;
  readonly onClose: () => void;
}

/** How a run goes, and which items it could not move. It ends by itself if it has moved all. */
function Moving({ run, onDone, onClose }: MovingProps) {
  const { state, total, outcomes } = useSyncExternalStore(run.subscribe, run.snapshot);
  const moved = [...outcomes.values()].flatMap((each) => (each.outcome === "done" ? [each.result] : []));
  const isDone = state === "ended" && moved.length === total;
  const finish = useEffectEvent(() => {
    onClose();
    onDone(moved);
  });
  useEffect(() => {
    if (isDone) finish();
  }, [isDone]);
  return <BulkPanel run={run} bulk={{ undo: undefined, close: onClose }} canUndo={false} onConflict={onClose} />;
}
