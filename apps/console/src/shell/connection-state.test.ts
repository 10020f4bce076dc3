import { expect, it } from "vitest";
import type { FeedSnapshot } from "../feed/vault-feed.js";
import { connectionOf } from "./connection-state.js";

function feedsOf(...states: (readonly [FeedSnapshot["state"], loadedAt?: number])[]) {
  const copy = { items: new Map(), sequence: 0 };
  return new Map(
    states.map(([state, loadedAt], index) => [`${index}`, { copy, state, loadedAt, error: undefined, resyncs: 0 }]),
  );
}

it.each([
  ["live once every vault is", feedsOf(["live", 1], ["live", 2]), { state: "live" }],
  ["loading while one vault is", feedsOf(["live", 1], ["loading"]), { state: "loading" }],
  ["paused if one vault is", feedsOf(["live", 1], ["paused", 2]), { state: "paused" }],
  [
    "as old as its oldest vault while it is offline",
    feedsOf(["offline", 2], ["offline", 1]),
    { state: "offline", loadedAt: 1 },
  ],
  [
    "without a time if a vault was never loaded",
    feedsOf(["offline", 2], ["offline"]),
    { state: "offline", loadedAt: undefined },
  ],
  ["live without the vaults that are lost", feedsOf(["live", 1], ["lost"]), { state: "live" }],
])("what the page shows is %s", (_, feeds, connection) => {
  expect(connectionOf({ vaults: [], error: null, feeds })).toEqual(connection);
});

it("what the page shows is not loaded if the vaults could not be listed", () => {
  expect(connectionOf({ vaults: undefined, error: new Error("lost"), feeds: feedsOf() })).toEqual({ state: "failed" });
});
