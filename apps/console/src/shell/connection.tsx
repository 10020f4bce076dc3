import { type ReactNode, useState, useSyncExternalStore } from "react";
import { Link } from "../elements/link.js";
import { useTitle } from "../elements/use-title.js";
import { isKeptPage } from "../session/is-kept-page.js";
import { useLibrary } from "../vaults/library.js";
import { ChangesOff } from "./changes-off.js";
import { offlineOf } from "./connection-state.js";

const time = new Intl.DateTimeFormat("en", { timeStyle: "short", hour12: false });

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** Returns a time, such as `at 12:01`, with its day if it is not today. */
function whenInWords(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return `${isToday ? "" : `on ${day.format(at)} `}at ${time.format(at)}`;
}

/** Returns how old what the page shows is while the server does not answer, and whether the server is known to be away. */
function useConnection() {
  const library = useLibrary();
  const { watch } = library;
  const watched = useSyncExternalStore(watch.subscribe, watch.snapshot);
  const isAway = watched.state === "offline" || (watched.state === "loading" && isKeptPage());
  return { offline: offlineOf(library, watched), isAway };
}

/** Says across the top what the page shows while the server does not answer, and nothing while it does. */
export function ConnectionBanner() {
  const { offline, isAway } = useConnection();
  const restored = [...useLibrary().feeds.values()].some(({ resyncs }) => resyncs > 0);
  return (
    <div role="status">
      {offline && (
        <p className="banner">
          {offline.loadedAt === undefined
            ? "Offline: not everything was loaded."
            : `Offline: this is what was loaded ${whenInWords(offline.loadedAt)}.`}{" "}
          Trying again. Until then, you can only read.
        </p>
      )}
      {isAway && <ChangesOff />}
      {restored && <p className="banner">A vault was restored from a backup, and read again from the start.</p>}
    </div>
  );
}

/** A page that needs the server. If it is opened without, it is there as soon as the server answers. What was loaded before stays. */
export function NeedsNetwork({ children }: { readonly children: ReactNode }) {
  const { offline, isAway } = useConnection();
  const [opened, setOpened] = useState(!isAway);
  if (!isAway && !opened) setOpened(true);
  return opened ? children : <WithoutNetwork lastAt={offline?.loadedAt} />;
}

function WithoutNetwork({ lastAt }: { readonly lastAt: number | undefined }) {
  useTitle("Offline");
  return (
    <>
      <h1>This page needs the network</h1>
      <p>
        You are offline{lastAt !== undefined && `: the server last answered ${whenInWords(lastAt)}`}. This page opens as
        soon as the server answers again.
      </p>
      <p>
        Until then, you can read, search and copy <Link to="/">your items</Link>, check{" "}
        <Link to="/passwords">your passwords</Link>, lock this browser, and sign out.
      </p>
    </>
  );
}
