import { create } from "@bufbuild/protobuf";
import { PlatformError } from "@platform-rpc/client";
import { CursorSchema, ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import type { KeptVault } from "./kept-copies.js";
import { createVaultFeed, type VaultFeedOptions } from "./vault-feed.js";

type Page = Awaited<ReturnType<VaultFeedOptions["list"]>>;

function page(sequence: number, ids: readonly string[] = [], hasMore = false, version = 1): Page {
  const changes = ids.map((itemId) => ({ sequence, item: create(ItemSchema, { itemId, version }) }));
  return {
    changes: changes.map((change) => ({ $typeName: "platform.accounts.v1.Change", ...change })),
    cursor: create(CursorSchema, { vaultId: "v", sequence }),
    hasMore,
  };
}

function failure(reason: string): Error {
  const init = { code: "unknown", message: reason, requestId: "r", retryable: false, detail: undefined } as const;
  // Private operations have reasons that the client does not list.
  const cause = Object.assign(new PlatformError({ reason: "NETWORK_ERROR", ...init }), { reason });
  return new Error("connect", { cause });
}

/** Runs a feed on a list of responses, and waits for ever after the last one. */
function run(responses: readonly (Page | Error)[], now: () => number | undefined = Date.now, kept?: KeptVault) {
  const asked: (number | "waits")[] = [];
  const slept: number[] = [];
  const states: string[] = [];
  const done = Promise.withResolvers<void>();
  const left = [...responses];
  const feed = createVaultFeed({
    async changed() {
      asked.push("waits");
    },
    async list(afterSequence) {
      asked.push(afterSequence);
      const next = left.shift();
      if (next === undefined) {
        done.resolve();
        return new Promise<never>(() => {});
      }
      if (next instanceof Error) throw next;
      return next;
    },
    async sleep(ms) {
      slept.push(ms);
    },
    now: () => now() ?? Number.NaN,
    ...(kept && { kept }),
  });
  feed.subscribe(() => states.push(feed.snapshot().state));
  feed.resume();
  return { feed, asked, slept, states, done: done.promise };
}

describe("the feed of a vault", () => {
  it("reads every page, and then waits for changes", async () => {
    const { feed, asked, states, done } = run([page(500, ["a"], true), page(502, ["b"]), page(503, ["a"], false, 2)]);
    await done;
    expect(asked).toEqual([0, 500, "waits", 502, "waits", 503]);
    expect(states).toEqual(["loading", "loading", "live", "live"]);
    expect([...feed.snapshot().copy.items.values()].map(({ itemId, version }) => [itemId, version])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });

  it("continues from its position after failures, and waits longer after each", async () => {
    const lost = failure("NETWORK_ERROR");
    const { feed, asked, slept, done } = run([page(7, ["a"]), lost, lost, lost, lost, lost, lost, page(7), lost]);
    await done;
    expect(slept).toEqual([500, 1000, 2000, 4000, 8000, 8000, 500]);
    expect(asked.slice(0, 4)).toEqual([0, "waits", 7, 7]);
    expect(feed.snapshot()).toMatchObject({ state: "offline", error: lost });
    expect(feed.snapshot().copy.items.size).toBe(1);
  });

  it("refuses a page that has more after it, but does not move its position: the next call waits", async () => {
    const { feed, asked, slept, done } = run([
      page(7, ["a"], true),
      page(7, ["b"], true),
      page(3, ["b"], true),
      page(8),
    ]);
    await done;
    expect(asked).toEqual([0, 7, 7, 7, "waits", 8]);
    expect(slept).toEqual([500, 1000]);
    expect([...feed.snapshot().copy.items.keys()]).toEqual(["a"]);
  });

  it("discards its copy and reads from the start when its position is ahead of the server's history", async () => {
    const { feed, asked, done } = run([page(9, ["lost"]), failure("CURSOR_AHEAD"), page(4, ["kept"])]);
    await done;
    expect(asked).toEqual([0, "waits", 9, 0, "waits", 4]);
    expect([...feed.snapshot().copy.items.keys()]).toEqual(["kept"]);
    expect(feed.snapshot()).toMatchObject({ state: "live", resyncs: 1, error: undefined });
  });

  it.each([
    ["ends before", page(8, []), "behind"],
    ["lists an older version than", page(10, ["a"]), "older"],
  ])("shows what the browser has kept, and discards it if the server %s it", async (_, answer, what) => {
    const written: unknown[] = [];
    const kept: KeptVault = {
      read: async () => ({
        sequence: 9,
        items: [create(ItemSchema, { itemId: "a", version: 2 })],
        discarded: undefined,
      }),
      add: (items, after, sequence) => written.push([items.length, after, sequence]),
      erase() {},
      discard: (discarded) => written.push(discarded),
    };
    const { feed, asked, slept, done } = run([answer, page(8, ["a"])], () => 1, kept);
    await done;
    expect([asked, slept]).toEqual([[9, 0, "waits", 8], [500]]);
    expect(written).toEqual([{ what, at: 1, sequence: 9 }, [1, 0, 8]]);
    expect(feed.snapshot()).toMatchObject({ resyncs: 1, discarded: { what }, copy: { wasKept: false } });
  });

  it("stops when the vault is gone or the person is not a member any more, and forgets its items", async () => {
    const { feed, asked, states } = run([page(7, ["a"]), failure("VAULT_NOT_FOUND")]);
    await expect.poll(() => states.at(-1)).toBe("lost");
    feed.resume();
    expect(asked).toEqual([0, "waits", 7]);
    expect(feed.snapshot()).toMatchObject({ state: "lost", copy: { items: new Map() } });
  });

  it("knows when its copy was last complete", async () => {
    const times = [1, 2];
    const { feed, done } = run([page(5, ["a"], true), page(6), page(7), failure("NETWORK_ERROR")], () => times.shift());
    await done;
    expect(feed.snapshot()).toMatchObject({ state: "offline", loadedAt: 2 });
  });

  it("ignores the response of a call that was running when it was paused", async () => {
    const response = Promise.withResolvers<Page>();
    const asked: number[] = [];
    const feed = createVaultFeed({
      list(afterSequence) {
        asked.push(afterSequence);
        return asked.length === 1 ? response.promise : new Promise<never>(() => {});
      },
      async changed() {},
      async sleep() {},
    });
    feed.resume();
    feed.pause();
    response.resolve(page(3, ["late"]));
    await response.promise;
    expect(feed.snapshot()).toMatchObject({ copy: { sequence: 0 } });
    feed.resume();
    expect(asked).toEqual([0, 0]);
  });

  it("keeps an item that is the same as the object that it was, unless its content was shredded", () => {
    const { feed } = run([]);
    const tombstone = (ciphertext: string) =>
      create(ItemSchema, { itemId: "a", version: 2, deleted: true, encryptedPayload: { ciphertext } });
    const [first, same, shredded] = [tombstone("c2VhbGVk"), tombstone("c2VhbGVk"), tombstone("")];
    const shown = () => feed.snapshot().copy.items.get("a");
    feed.add([first]);
    feed.add([same]);
    expect(shown()).toBe(first);
    feed.add([shredded]);
    expect(shown()).toBe(shredded);
    feed.add([first]);
    expect(shown()).toBe(shredded);
  });

  it("adds the items of responses without moving its position, and never an older version", () => {
    const { feed } = run([]);
    feed.add([create(ItemSchema, { itemId: "a", version: 3 })]);
    feed.add([create(ItemSchema, { itemId: "a", version: 2 })]);
    const { items, sequence } = feed.snapshot().copy;
    expect({ version: items.get("a")?.version, sequence }).toEqual({ version: 3, sequence: 0 });
  });
});
