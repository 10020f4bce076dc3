import { Suspense, useState } from "react";
import { IconButton } from "../elements/icon-button.js";
import { Menu, MenuEntry } from "../elements/menu.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { ItemAboutProps } from "./item-about.js";

const ItemActivity = lazyPart(async () => (await import("./item-about.js")).ItemActivity);
const ItemDetails = lazyPart(async () => (await import("./item-about.js")).ItemDetails);

const menu = "item-menu";

/** What is rarely asked about an item. */
export function ItemMenu(props: Omit<ItemAboutProps, "onClose">) {
  const [open, setOpen] = useState<"activity" | "details">();
  const close = () => setOpen(undefined);
  return (
    <>
      <IconButton icon="more" tip="More" popoverTarget={menu} />
      <Menu id={menu}>
        <MenuEntry menu={menu} onChoose={() => setOpen("activity")}>
          What was done with it
        </MenuEntry>
        <MenuEntry menu={menu} onChoose={() => setOpen("details")}>
          Details
        </MenuEntry>
        <p className="hint">Version {props.row.item.version}</p>
      </Menu>
      <PartBoundary onClose={close}>
        <Suspense>
          {open === "activity" && <ItemActivity {...props} onClose={close} />}
          {open === "details" && <ItemDetails {...props} onClose={close} />}
        </Suspense>
      </PartBoundary>
    </>
  );
}
