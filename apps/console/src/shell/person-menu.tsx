import { Link } from "@tanstack/react-router";
import { Icon } from "../elements/icon.js";
import { useConsole } from "../session/console-context.js";
import { lockNow } from "../session/session.js";

/** The person, and what they can do with this browser. */
export function PersonMenu() {
  const { displayName } = useConsole().session;
  return (
    <div className="person">
      <button type="button" className="quiet" popoverTarget="person-menu">
        <span dir="auto">{displayName}</span>
        <Icon name="down" />
      </button>
      <div id="person-menu" className="menu" popover="auto">
        <Link className="button quiet" to="/person" onClick={closeMenu}>
          Your account
        </Link>
        <Link className="button quiet" to="/import" onClick={closeMenu}>
          Import items
        </Link>
        <Link className="button quiet" to="/export" onClick={closeMenu}>
          Export
        </Link>
        <button type="button" className="quiet" onClick={lockNow}>
          Lock now
        </button>
        <form method="post" action="/sign-out">
          <button type="submit" className="quiet">
            Sign out
          </button>
        </form>
        <Link className="button quiet" to="/developer" onClick={closeMenu}>
          Developer
        </Link>
      </div>
    </div>
  );
}

function closeMenu(): void {
  document.getElementById("person-menu")?.hidePopover();
}
