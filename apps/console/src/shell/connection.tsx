import { useSyncExternalStore } from "react";
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

/** Says across the top what the page shows while the server does not answer, and nothing while it does. */
export function ConnectionBanner() {
  const library = useLibrary();
  const { watch, feeds } = library;
  const watched = useSyncExternalStore(watch.subscribe, watch.snapshot);
  const offline = offlineOf(library, watched);
  const isAway = watched.state === "offline" || (watched.state === "loading" && isKeptPage());
  const restored = [...feeds.values()].some(({ resyncs }) => resyncs > 0);
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
