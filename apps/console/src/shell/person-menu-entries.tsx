import { Link } from "@tanstack/react-router";
import { lockNow } from "../session/session.js";

/** What the menu of the person contains. */
export function PersonMenuEntries() {
  return (
    <>
      <Link className="button quiet" to="/person" onClick={closeMenu}>
        Your account
      </Link>
      <Link className="button quiet" to="/import" onClick={closeMenu}>
        Import items
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
    </>
  );
}

function closeMenu(): void {
  document.getElementById("person-menu")?.hidePopover();
}
