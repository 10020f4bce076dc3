import { useState } from "react";
import { IconButton } from "../elements/icon-button.js";
import { Menu } from "../elements/menu.js";
import { Sheet } from "../elements/sheet.js";
import type { ItemRow } from "../items/item-rows.js";

export type ItemSheet = "history" | "move" | "copy";

interface ItemMenuProps extends Omit<ItemDetailsProps, "onClose"> {
  /** Undefined: the item cannot be changed. */
  readonly onSheet: ((what: ItemSheet, row: ItemRow) => void) | undefined;
}

export function ItemMenu({ onSheet, ...props }: ItemMenuProps) {
  const { row } = props;
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton icon="more" tip="More" popoverTarget="item-menu" />
      <Menu id="item-menu">
        {onSheet && (
          <>
            <button type="button" data-change className="quiet" onClick={() => onSheet("move", row)}>
              Move to…
            </button>
            <button type="button" data-change className="quiet" onClick={() => onSheet("copy", row)}>
              Copy to…
            </button>
          </>
        )}
        <button type="button" className="quiet" onClick={() => setOpen(true)}>
          Details
        </button>
        <p className="hint">Version {row.item.version}</p>
      </Menu>
      {open && <ItemDetails {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ItemDetailsProps {
  readonly row: ItemRow;
  readonly vaultName: string;
  /** Whether only people with access to the vault can have written it. */
  readonly isSealed: boolean;
  readonly onClose: () => void;
}

function ItemDetails({ row: { item, vaultId }, vaultName, isSealed, onClose }: ItemDetailsProps) {
  return (
    <Sheet title="Details" onClose={onClose}>
      <p>
        Version {item.version}.
        {isSealed && !item.deleted && ` Only people with access to ${vaultName} can read this item; the server cannot.`}
      </p>
      <p className="hint">
        Item <code>{item.itemId}</code>, vault <code>{vaultId}</code>, kind <code>{item.kind}</code>. The times, your
        role in the vault, and how long a deleted item can be restored are what the server says. Your browser cannot
        check them.
      </p>
    </Sheet>
  );
}
