import { Suspense, useState } from "react";
import { IconButton } from "../elements/icon-button.js";
import { Menu, MenuEntry } from "../elements/menu.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { ItemAboutProps } from "./item-about.js";

const ItemAbout = lazyPart(async () => (await import("./item-about.js")).ItemAbout);

/** The menu of an item. */
export function ItemMenu(props: Omit<ItemAboutProps, "what" | "onClose">) {
  const [open, setOpen] = useState<ItemAboutProps["what"]>();
  const close = () => setOpen(undefined);
  return (
    <>
      <IconButton icon="more" tip="More" popoverTarget="item-menu" />
      <Menu id="item-menu">
        {(["What was done with it", "Details"] as const).map((what) => (
          <MenuEntry key={what} menu="item-menu" onChoose={() => setOpen(what)}>
            {what}
          </MenuEntry>
        ))}
        <p className="hint">Version {props.row.item.version}</p>
      </Menu>
      <PartBoundary onClose={close}>
        <Suspense>{open && <ItemAbout {...props} what={open} onClose={close} />}</Suspense>
      </PartBoundary>
    </>
  );
}
