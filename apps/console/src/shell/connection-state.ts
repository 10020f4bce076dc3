import type { FeedSnapshot } from "../feed/vault-feed.js";
import type { WatchSnapshot } from "../feed/vault-watch.js";
import type { Library } from "../vaults/library.js";

interface Offline {
  /** How old what it shows is, in milliseconds since the epoch. Undefined if not everything was loaded. */
  readonly loadedAt: number | undefined;
}

/** Returns how old a library is if the server does not answer, and undefined if it does. */
export function offlineOf(
  { vaults, feeds }: Pick<Library, "vaults" | "feeds">,
  { state, offlineSince }: Pick<WatchSnapshot, "state" | "offlineSince">,
): Offline | undefined {
  const all = [...feeds.values()].filter(({ state }) => state !== "lost");
  const failed = all.filter(({ state }) => state === "offline");
  if (state !== "offline" && failed.length === 0) return undefined;
  const timeOf = ({ loadedAt, keptAt }: FeedSnapshot) => loadedAt ?? keptAt;
  const isComplete = vaults !== undefined && all.every((feed) => timeOf(feed) !== undefined);
  const times = [offlineSince, ...failed.map(timeOf)].filter((time) => time !== undefined);
  return { loadedAt: isComplete ? Math.min(...times) : undefined };
}
