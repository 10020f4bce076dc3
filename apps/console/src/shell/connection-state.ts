import type { FeedSnapshot } from "../feed/vault-feed.js";
import type { WatchSnapshot } from "../feed/vault-watch.js";
import type { Library } from "../vaults/library.js";

/**
 * Returns how old a library is if the server does not answer, in milliseconds since the epoch, without a time if not everything was
 * loaded. Undefined if the server answers.
 */
export function offlineOf(
  { vaults, feeds }: Pick<Library, "vaults" | "feeds">,
  { state, offlineSince }: Pick<WatchSnapshot, "state" | "offlineSince">,
) {
  const all = [...feeds.values()].filter(({ state }) => state !== "lost");
  const failed = all.filter(({ state }) => state === "offline");
  if (state !== "offline" && failed.length === 0) return undefined;
  const timeOf = ({ loadedAt, keptAt }: FeedSnapshot) => loadedAt ?? keptAt;
  const isComplete = vaults !== undefined && all.every((feed) => timeOf(feed) !== undefined);
  const times = [offlineSince, ...failed.map(timeOf)].filter((time) => time !== undefined);
  return { loadedAt: isComplete ? Math.min(...times) : undefined };
}
