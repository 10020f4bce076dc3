import { Link } from "@tanstack/react-router";
import { Icon } from "../elements/icon.js";
import { kindOf, newKinds } from "../items/kinds.js";

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
            <Icon name={kindOf(kind).icon} />
            {kindOf(kind).name}
          </Link>
        ))}
      </div>
    </>
  );
}

function closeMenu(): void {
  document.getElementById("new-item-menu")?.hidePopover();
}
