import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Suspense } from "react";
import { PartBoundary } from "../elements/part-boundary.js";
import { useConsole } from "../session/console-context.js";
import { ItemChangesProvider } from "../vaults/item-changes.js";
import { LibraryProvider } from "../vaults/library.js";
import { ConnectionBanner } from "./connection.js";
import { Keys } from "./keys.js";
import "./shell.css";
import { Sidebar } from "./sidebar.js";
import { UndoToast } from "./undo-toast.js";

/** What every page of the vault has: the way to everything, what is to be done, and the page. index.html contains the same frame. */
export function Frame() {
  const { recoveryCodeMissing } = useConsole().session;
  const { pathname } = useLocation();
  return (
    <LibraryProvider>
      <ItemChangesProvider>
        {" "}
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <Sidebar />
        <div className="content">
          <ConnectionBanner />
          {recoveryCodeMissing && (
            <aside className="banner" aria-label="Reminder">
              You have not stored a recovery code. If you lose your passkey, you lose your items.{" "}
              <Link to="/security" hash="recovery">
                Store a recovery code
              </Link>
            </aside>
          )}
          <main id="main" tabIndex={-1}>
            <PartBoundary key={pathname} heading="This page cannot be shown">
              <Suspense fallback={<p role="status">Loading…</p>}>
                <Outlet />
              </Suspense>
            </PartBoundary>
          </main>
        </div>
        <UndoToast />
        <Keys />
      </ItemChangesProvider>
    </LibraryProvider>
  );
}

/** What an unknown address shows. */
export function NotFound() {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        Check the address, or <Link to="/">see all your items</Link>.
      </p>
    </>
  );
}
