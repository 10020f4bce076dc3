import { Suspense, useState } from "react";
import { IconButton } from "../elements/icon-button.js";
import { Menu } from "../elements/menu.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { ItemRow } from "../items/item-rows.js";
import type { ItemDetailsProps } from "./item-details.js";

const ItemDetails = lazyPart(async () => (await import("./item-details.js")).ItemDetails);

export type ItemSheet = "history" | "move" | "copy";

interface ItemMenuProps extends Omit<ItemDetailsProps, "onClose"> {
  /** Undefined: the item cannot be changed. */
  readonly onSheet: ((what: ItemSheet, row: ItemRow) => void) | undefined;
}

/** What is rarely asked about an item. */
export function ItemMenu({ onSheet, ...props }: ItemMenuProps) {
  const { row } = props;
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
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
      <PartBoundary onClose={close}>
        <Suspense>{open && <ItemDetails {...props} onClose={close} />}</Suspense>
      </PartBoundary>
    </>
  );
}
