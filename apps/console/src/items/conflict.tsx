import { useQuery } from "@connectrpc/connect-query";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useQuery as useDerived } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../parts/error-message.js";
import { useConsole } from "../session/console-context.js";
import { ItemContent } from "./item-content.js";
import { type ItemRow, rowOf } from "./item-rows.js";
import type { ItemSheetProps } from "./item-sheet.js";
import { openContent } from "./open-content.js";

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
