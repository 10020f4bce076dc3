import { nameOfKind, newKinds } from "@platform-rpc/items/kinds";
import { Icon } from "../elements/icon.js";
import { Link } from "../elements/link.js";
import { Menu } from "../elements/menu.js";
import { iconOfKind } from "../items/kind-icon.js";

/** A button that opens the kinds of items that a person can add. */
export function NewItemMenu() {
  return (
    <>
      <button type="button" data-change className="primary" popoverTarget="new-item-menu" aria-keyshortcuts="n">
        <Icon name="plus" />
        New item
      </button>
      <Menu id="new-item-menu">
        <KindLinks />
      </Menu>
    </>
  );
}

/** A link for each kind of item that a person can add. */
export function KindLinks() {
  return newKinds.map((kind) => (
    <Link data-change key={kind} className="button quiet" to="." search={{ new: kind }}>
      <Icon name={iconOfKind(kind)} />
      {nameOfKind(kind)}
    </Link>
  ));
}
