import { nameOfKind, newKinds } from "@platform-rpc/items/kinds";
import { Link } from "@tanstack/react-router";
import { Icon } from "../elements/icon.js";
import { iconOfKind } from "../items/kind-icon.js";

/** A button that opens the kinds of items that a person can add. */
export function NewItemMenu() {
  return (
    <>
      <button type="button" className="primary" popoverTarget="new-item-menu">
        <Icon name="plus" />
        New item
      </button>
      <div id="new-item-menu" className="menu new-item-menu" popover="auto">
        {newKinds.map((kind) => (
          <Link key={kind} className="button quiet" to="." search={{ new: kind }} onClick={closeMenu}>
            <Icon name={iconOfKind(kind)} />
            {nameOfKind(kind)}
          </Link>
        ))}
      </div>
    </>
  );
}

function closeMenu(): void {
  document.getElementById("new-item-menu")?.hidePopover();
}
