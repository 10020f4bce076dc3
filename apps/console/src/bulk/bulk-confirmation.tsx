import { Button } from "react-aria-components/Button";
import { Sheet } from "../elements/sheet.js";
import type { ItemRow } from "../items/item-rows.js";
import { countOf } from "./selection.js";

interface BulkConfirmationProps {
  readonly rows: readonly ItemRow[];
  readonly retentionDays: number | undefined;
  readonly onDelete: () => void;
  readonly onClose: () => void;
}

/** How many titles are listed. */
const shown = 5;

/** Asks whether to delete the selected items. */
export function BulkConfirmation({ rows, retentionDays, onDelete, onClose }: BulkConfirmationProps) {
  const more = rows.length - shown;
  return (
    <Sheet title={`Delete ${countOf(rows)}?`} onClose={onClose}>
      <ul>
        {rows.slice(0, shown).map(({ item, title }) => (
          <li key={item.itemId}>{title}</li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
      <p>An item that somebody changed after you selected it is not deleted. {afterwards(retentionDays)}</p>
      <div className="actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button onPress={onDelete}>Delete {countOf(rows)}</Button>
      </div>
    </Sheet>
  );
}

function afterwards(retentionDays: number | undefined): string {
  if (retentionDays === undefined) return "";
  if (retentionDays === 0) return "This vault has no retention: deleted items are destroyed at once.";
  return `Deleted items can be restored for ${retentionDays} ${retentionDays === 1 ? "day" : "days"}.`;
}
