import { Suspense, useState } from "react";
import { IconButton } from "../elements/icon-button.js";
import { Menu } from "../elements/menu.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { ItemDetailsProps } from "./item-details.js";

const ItemDetails = lazyPart(async () => (await import("./item-details.js")).ItemDetails);

/** What is rarely asked about an item. */
export function ItemMenu(props: Omit<ItemDetailsProps, "onClose">) {
  const { item } = props.row;
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <IconButton icon="more" tip="More" popoverTarget="item-menu" />
      <Menu id="item-menu">
        <button type="button" className="quiet" onClick={() => setOpen(true)}>
          Details
        </button>
        <p className="hint">Version {item.version}</p>
      </Menu>
      <PartBoundary onClose={close}>
        <Suspense>{open && <ItemDetails {...props} onClose={close} />}</Suspense>
      </PartBoundary>
    </>
  );
}
