import { Button } from "react-aria-components/Button";
import { Sheet } from "../elements/sheet.js";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";

interface BulkConfirmationProps {
  readonly rows: readonly ItemRow[];
  /** The least of the vaults of the rows. Undefined if it is not known. */
  readonly retentionDays: number | undefined;
  readonly onDelete: () => void;
  readonly onClose: () => void;
}

/** How many titles are listed. */
const shown = 5;

export function BulkConfirmation({ rows, retentionDays, onDelete, onClose }: BulkConfirmationProps) {
  const more = rows.length - shown;
  return (
    <Sheet title={`Delete ${countOf(rows)}?`} onClose={onClose}>
      <ul>
        {rows.slice(0, shown).map(({ key, title }) => (
          <li key={key}>{title}</li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
      <p>An item that somebody changed after you selected it is not deleted. {afterwards(retentionDays)}</p>
      <div className="actions">
        <Button className="quiet" onPress={onClose}>
          Cancel
        </Button>
        <Button className="danger primary" onPress={onDelete}>
          Delete {countOf(rows)}
        </Button>
      </div>
    </Sheet>
  );
}

function afterwards(retentionDays: number | undefined): string {
  if (retentionDays === undefined) return "";
  if (retentionDays === 0) return "Nothing deleted here can be restored.";
  return `Deleted items can be restored for ${retentionDays} ${retentionDays === 1 ? "day" : "days"}.`;
}
