import { useLocation } from "wouter";
import "./shell.css";
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "../elements/link.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { pressShortcut, useShortcuts } from "../keyboard/shortcuts.js";
import { codeStored, useConsole } from "../session/console-context.js";
import { ItemChangesProvider, useItemChanges } from "../vaults/item-changes.js";
import { LibraryProvider, useLibrary } from "../vaults/library.js";
import { ConnectionBanner } from "./connection.js";
import { Sidebar } from "./sidebar.js";

/** What every page of the vault has: the way to everything, what is to be done, and the page. index.html contains the same frame. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation();
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
          <RecoveryCodeReminder />
          <SignInNotice />
          <main id="main" tabIndex={-1}>
            <PartBoundary key={path} heading="This page cannot be shown" fallback={<p role="status">Loading…</p>}>
              {children}
              <Scroll />
            </PartBoundary>
          </main>
        </div>
        <UndoToast />
        <Keys />
      </ItemChangesProvider>
    </LibraryProvider>
  );
}

const NewSignIns = lazyPart(async () => (await import("../security/new-sign-ins.js")).NewSignIns);

/** Waits for what the person came for. */
function SignInNotice() {
  const { isListed } = useLibrary();
  const [closed, setClosed] = useState(false);
  return (
    isListed &&
    !closed && (
      <PartBoundary onClose={() => setClosed(true)}>
        <NewSignIns />
      </PartBoundary>
    )
  );
}

/** Scrolls to what the address names, once the page is there: it is loaded when it is first shown. */
function Scroll() {
  const { hash } = location;
  useEffect(() => document.getElementById(hash.slice(1))?.scrollIntoView(), [hash]);
  return null;
}

/** Reminds a person who has no recovery code, until they have stored one on this page. */
function RecoveryCodeReminder() {
  const { recoveryCodeMissing } = useConsole().session;
  const [missing, setMissing] = useState(recoveryCodeMissing);
  useEffect(() => {
    const stored = () => setMissing(false);
    addEventListener(codeStored, stored);
    return () => removeEventListener(codeStored, stored);
  }, []);
  return (
    missing && (
      <aside className="banner" aria-label="Reminder">
        You have not stored a recovery code. If you lose your passkey, you lose your items.{" "}
        <Link to="/security" hash="recovery">
          Store a recovery code
        </Link>
      </aside>
    )
  );
}

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

const HelpSheet = lazyPart(async () => (await import("../keyboard/help-sheet.js")).HelpSheet);
const CommandPalette = lazyPart(async () => (await import("./command-palette.js")).CommandPalette);

/** The keys that work on every page: the help, and the palette of everything. */
function Keys() {
  const [open, setOpen] = useState<"help" | "palette">();
  const close = () => setOpen(undefined);
  useShortcuts({
    "?": () => setOpen("help"),
    n: () => pressShortcut("n"),
    e: () => pressShortcut("e"),
    c: () => pressShortcut("c"),
    C: () => pressShortcut("Shift+C"),
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey || !(event.ctrlKey || event.metaKey))
        return;
      event.preventDefault();
      if (document.querySelector("[role=dialog]") === null) setOpen("palette");
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <PartBoundary onClose={close}>
      {open === "help" && <HelpSheet onClose={close} />}
      {open === "palette" && <CommandPalette onClose={close} />}
    </PartBoundary>
  );
}

const Toast = lazyPart(async () => (await import("./toast.js")).Toast);

function UndoToast() {
  const { deleted, forget } = useItemChanges();
  return (
    <div role="status">
      <PartBoundary onClose={forget}>
        {deleted && <Toast key={`${deleted.key} ${deleted.item.version}`} row={deleted} />}
      </PartBoundary>
    </div>
  );
}
