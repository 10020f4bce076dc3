import { expect, it } from "vitest";
import type { FeedSnapshot } from "../feed/vault-feed.js";
import { offlineOf } from "./connection-state.js";

function feedsOf(...states: (readonly [FeedSnapshot["state"], loadedAt?: number | undefined, keptAt?: number])[]) {
  const copy = { items: new Map(), sequence: 0, versions: new Map(), wasKept: false };
  const known = { copy, error: undefined, resyncs: 0, discarded: undefined };
  return new Map(states.map(([state, loadedAt, keptAt], index) => [`${index}`, { ...known, state, loadedAt, keptAt }]));
}

const live = { state: "live", offlineSince: undefined } as const;
const away = { state: "offline", offlineSince: 9 } as const;

it.each([
  ["nothing while the server answers", feedsOf(["live", 1], ["loading"], ["lost"]), live, undefined],
  ["as old as the last answer", feedsOf(["live", 1], ["live", 2]), away, { loadedAt: 9 }],
  ["as old as the vault that cannot be read", feedsOf(["live", 1], ["offline", 2]), live, { loadedAt: 2 }],
  ["as old as the oldest of them", feedsOf(["offline", 2], ["offline", 1]), away, { loadedAt: 1 }],
  ["as old as what the browser has kept", feedsOf(["offline", undefined, 3]), away, { loadedAt: 3 }],
  ["not complete if a vault was not loaded", feedsOf(["live", 1], ["loading"]), away, { loadedAt: undefined }],
])("what the page shows is %s", (_, feeds, watch, offline) => {
  expect(offlineOf({ vaults: [], feeds }, watch)).toEqual(offline);
});

it("what the page shows is not complete if the vaults could not be listed", () => {
  expect(offlineOf({ vaults: undefined, feeds: feedsOf() }, away)).toEqual({ loadedAt: undefined });
});
