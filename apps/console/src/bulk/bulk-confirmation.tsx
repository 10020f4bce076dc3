import { Button } from "react-aria-components/Button";
import { FirstOf } from "../elements/first-of.js";
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

export function BulkConfirmation({ rows, retentionDays, onDelete, onClose }: BulkConfirmationProps) {
  return (
    <Sheet title={`Delete ${countOf(rows)}?`} onClose={onClose}>
      <FirstOf all={rows} most={5}>
        {({ title }) => title}
      </FirstOf>
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
