import { nameOfKind, newKinds } from "@platform-rpc/items/kinds";
import type { ToggleEvent } from "react";
import { Icon } from "../elements/icon.js";
import { Link } from "../elements/link.js";
import { iconOfKind } from "../items/kind-icon.js";

/** A button that opens the kinds of items that a person can add. */
export function NewItemMenu() {
  return (
    <>
      <button type="button" data-change className="primary" popoverTarget="new-item-menu" aria-keyshortcuts="n">
        <Icon name="plus" />
        New item
      </button>
      <div id="new-item-menu" className="menu" popover="auto" onToggle={focusFirst}>
        <KindLinks onFollow={closeMenu} />
      </div>
    </>
  );
}

/** A link for each kind of item that a person can add. */
export function KindLinks({ onFollow }: { readonly onFollow?: () => void }) {
  return newKinds.map((kind) => (
    <Link data-change key={kind} className="button quiet" to="." search={{ new: kind }} onClick={onFollow}>
      <Icon name={iconOfKind(kind)} />
      {nameOfKind(kind)}
    </Link>
  ));
}

function focusFirst({ currentTarget, newState }: ToggleEvent<HTMLElement>): void {
  if (newState === "open") currentTarget.querySelector("a")?.focus();
}

function closeMenu(): void {
  document.getElementById("new-item-menu")?.hidePopover();
}
