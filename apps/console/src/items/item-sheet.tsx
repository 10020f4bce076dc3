import { useQuery } from "@connectrpc/connect-query";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useQuery as useDerived } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { Sheet } from "../elements/sheet.js";
import { useConsole } from "../session/console-context.js";
import { ItemContent, stateOf } from "./item-content.js";
import { type ItemRow, rowOf } from "./item-rows.js";
import { openContent } from "./open-content.js";
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

interface ConflictProps extends Omit<ItemSheetProps, "shown" | "changed"> {
  /** The item as the person saw it. */
  readonly yours: ItemRow;
  readonly onDelete: (item: ItemRow["item"]) => void;
  readonly onCancel: () => void;
}

/** Shows the state that the person saw next to the current one. Nothing is deleted before the person decides. */
export function Conflict({ yours, vaultId, retentionDays, changes, onShow, onDelete, onCancel }: ConflictProps) {
  const { session } = useConsole();
  const { itemId, version } = yours.item;
  const { data, error } = useQuery(MemberVaultService.method.getItem, { vaultId, itemId }, { gcTime: 0, staleTime: 0 });
  const item = data?.item;
  const { data: content } = useDerived({
    queryKey: ["content", vaultId, itemId, item?.version],
    queryFn: () => item && openContent({ vaultId, item }, session),
    enabled: item !== undefined,
    gcTime: 0,
  });
  const current = item && content && rowOf(item, content);
  return (
    <>
      <p>
        You wanted to delete version {version}. Somebody changed the item in the meantime, so that nothing was deleted.
      </p>
      <ErrorMessage error={error ?? changes.error} />
      <div className="sides">
        <section aria-labelledby="yours">
          <h3 id="yours">Yours: {yours.title}</h3>
          <ItemContent row={yours} retentionDays={retentionDays} />
        </section>
        <section aria-labelledby="current">
          <h3 id="current">Current: {current?.title ?? "Loading…"}</h3>
          {current && <ItemContent row={current} retentionDays={retentionDays} />}
        </section>
      </div>
      <div className="actions">
        <Button isDisabled={current === undefined} onPress={() => onShow(current)}>
          Keep theirs
        </Button>
        {current?.item.deleted !== true && (
          <Button isDisabled={current === undefined || changes.busy} onPress={() => current && onDelete(current.item)}>
            Delete the current one
          </Button>
        )}
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </>
  );
}
