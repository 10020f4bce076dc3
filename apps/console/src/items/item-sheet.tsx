import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../parts/error-message.js";
import { Sheet } from "../parts/sheet.js";
import { Conflict } from "./conflict.js";
import { ItemContent } from "./item-content.js";
import type { ItemRow } from "./item-rows.js";
import { stateOf } from "./shredding.js";
import type { ItemChanges } from "./use-item-changes.js";

export interface ItemSheetProps {
  /** The item as the person saw it: later changes of the vault do not change it. */
  readonly shown: ItemRow;
  /** Whether it is known that the item was changed since. */
  readonly changed: boolean;
  readonly vaultId: string;
  readonly retentionDays: number | undefined;
  readonly changes: ItemChanges;
  /** Shows another state of the item, or nothing. */
  readonly onShow: (row: ItemRow | undefined) => void;
}

/** An item, and what the person can do with it. A change is made only if the item is still at the version that is shown. */
export function ItemSheet({ shown, changed, vaultId, retentionDays, changes, onShow }: ItemSheetProps) {
  const [conflict, setConflict] = useState(changed);
  const { item } = shown;
  const { state } = stateOf(item, retentionDays);
  const close = () => onShow(undefined);
  const remove = async (wanted: Pick<ItemRow["item"], "itemId" | "version">) => {
    const removed = await changes.remove(wanted);
    if (removed === true) close();
    else if (removed !== false) setConflict(true);
  };
  if (conflict) {
    const props = { yours: shown, vaultId, retentionDays, changes, onShow, onDelete: remove };
    return (
      <Sheet title="This item was changed" onClose={close}>
        <Conflict {...props} onCancel={() => setConflict(false)} />
      </Sheet>
    );
  }
  return (
    <Sheet title={shown.title} onClose={close}>
      <ItemContent row={shown} retentionDays={retentionDays} />
      <ErrorMessage error={changes.error} />
      <div className="actions">
        {state === "live" && (
          <Button isDisabled={changes.busy} onPress={() => remove(item)}>
            Delete
          </Button>
        )}
        {state === "deleted" && (
          <Button isDisabled={changes.busy} onPress={async () => (await changes.restore(item)) && close()}>
            Restore
          </Button>
        )}
      </div>
      {state === "live" && retentionDays === 0 && (
        <p className="hint">This vault has no retention: a deleted item is destroyed at once.</p>
      )}
    </Sheet>
  );
}
