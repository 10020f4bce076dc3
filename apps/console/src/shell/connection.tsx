import { useSyncExternalStore } from "react";
import { useLibrary } from "../vaults/library.js";
import { offlineOf } from "./connection-state.js";

const time = new Intl.DateTimeFormat("en", { timeStyle: "short", hour12: false });

/** Says across the top what the page shows while the server does not answer, and nothing while it does. */
export function ConnectionBanner() {
  const library = useLibrary();
  const { watch, feeds } = library;
  const offline = offlineOf(library, useSyncExternalStore(watch.subscribe, watch.snapshot));
  const restored = [...feeds.values()].some(({ resyncs }) => resyncs > 0);
  return (
    <div role="status">
      {offline && (
        <p className="banner">
          {offline.loadedAt === undefined
            ? "Offline: not everything was loaded."
            : `Offline: this is what was loaded at ${time.format(offline.loadedAt)}.`}{" "}
          Trying again.
        </p>
      )}
      {restored && <p className="banner">A vault was restored from a backup, and read again from the start.</p>}
    </div>
  );
}
