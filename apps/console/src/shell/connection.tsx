import { useLibrary } from "../vaults/library.js";
import { connectionOf } from "./connection-state.js";

const time = new Intl.DateTimeFormat("en", { timeStyle: "short", hour12: false });

const badges = {
  live: { words: "Up to date", className: "badge good" },
  loading: { words: "Loading…", className: "badge" },
  paused: { words: "Paused", className: "badge" },
  failed: { words: "Not loaded", className: "badge warning" },
  offline: { words: "Offline", className: "badge warning" },
} as const;

/** The state of the connection in two words. */
export function ConnectionBadge() {
  const { state } = connectionOf(useLibrary());
  const { words, className } = badges[state];
  return (
    <span role="status" className={className} data-state={state}>
      {words}
    </span>
  );
}

/** Says across the top what the page shows while the server does not answer. */
export function ConnectionBanner() {
  const library = useLibrary();
  const connection = connectionOf(library);
  const restored = [...library.feeds.values()].some(({ resyncs }) => resyncs > 0);
  return (
    <div role="status">
      {connection.state === "offline" && (
        <p className="banner">
          {connection.loadedAt === undefined
            ? "Offline: not everything was loaded."
            : `Offline: this is what was loaded at ${time.format(connection.loadedAt)}.`}{" "}
          Trying again.
        </p>
      )}
      {restored && <p className="banner">A vault was restored from a backup, and read again from the start.</p>}
    </div>
  );
}
