import { setImmediate } from "node:timers/promises";
import { deserialize, serialize } from "node:v8";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Item, ItemSchema } from "@platform-rpc/types";
import { MemberVaultSchema } from "@platform-rpc/types-internal/accounts";
import { describe, expect, it } from "vitest";
import { createKeptCopies, type KeptVault, type RecordStore, type Records } from "./kept-copies.js";

const day = 24 * 60 * 60_000;

function makeItem(itemId: string, version: number, { ciphertext = "c2VhbGVk", deletedAt = 0 } = {}): Item {
  const updatedAt = timestampFromDate(new Date(deletedAt));
  return create(ItemSchema, { itemId, version, deleted: deletedAt > 0, updatedAt, encryptedPayload: { ciphertext } });
}

/** A browser with empty storage. Its pages wait for nothing but each other. */
function createBrowser() {
  let stored = new Map<string, Buffer>();
  let isFull = false;
  const isBelow = (key: readonly string[], text: string) => text.startsWith(`${JSON.stringify(key).slice(0, -1)},`);
  const recordsIn = (all: Map<string, Buffer>): Records => ({
    async get(key) {
      const found = all.get(JSON.stringify(key));
      return found && deserialize(found);
    },
    below: async (key) => [...all].flatMap(([other, value]) => (isBelow(key, other) ? [deserialize(value)] : [])),
    put(key, value) {
      if (isFull) throw new Error("The browser cannot store data of this site.");
      all.set(JSON.stringify(key), serialize(value));
    },
    remove(key) {
      for (const other of all.keys())
        if (key.length === 0 || other === JSON.stringify(key) || isBelow(key, other)) all.delete(other);
    },
  });
  const store: RecordStore = {
    async transact(_, work) {
      const changed = new Map(stored);
      const result = await work(recordsIn(changed));
      stored = changed;
      return result;
    },
  };
  return {
    open: (principalId = "ada") =>
      createKeptCopies(
        { tenantId: "t", principalId },
        store,
        async () => undefined,
        () => 31 * day,
      ),
    list: (...vaultIds: readonly string[]) =>
      vaultIds.map((vaultId) => create(MemberVaultSchema, { vaultId, retentionDays: 30 })),
    fill: () => {
      isFull = true;
    },
    empty: () => stored.clear(),
    count: () => stored.size,
  };
}

/** Loads a page that lists the vault v, does something, and returns what the next page finds of the vault. */
async function next(act: (vault: KeptVault, browser: ReturnType<typeof createBrowser>) => unknown) {
  const browser = createBrowser();
  const page = browser.open();
  page.list(browser.list("v"));
  await setImmediate();
  await act(page.vault("v"), browser);
  await setImmediate();
  const kept = await browser.open().vault("v").read();
  return (
    kept && [
      kept.sequence,
      ...kept.items.map(
        ({ itemId, version, encryptedPayload }) => `${itemId} ${version} ${encryptedPayload?.ciphertext}`,
      ),
    ]
  );
}

const [a1, a2, b1] = [makeItem("a", 1), makeItem("a", 2), makeItem("b", 1)];

describe("the copies that a browser keeps", () => {
  it.each<readonly [string, Parameters<typeof next>[0], Awaited<ReturnType<typeof next>>]>([
    [
      "contain all pages, and end where the last one does",
      (vault) => {
        vault.add([a1, b1], 0, 2);
        vault.add([a2], 2, 3);
      },
      [3, "a 2 c2VhbGVk", "b 1 c2VhbGVk"],
    ],
    ["do not end after a page whose rows before it are missing", (vault) => vault.add([b1], 2, 3), [0]],
    [
      "contain the newest of what two tabs have listed, whichever stores it last",
      (vault, browser) => {
        browser.open().vault("v").add([a2, b1], 0, 3);
        vault.add([a1], 0, 2);
        vault.add([a2, b1], 2, 3);
      },
      [3, "a 2 c2VhbGVk", "b 1 c2VhbGVk"],
    ],
    [
      "contain nothing of a tab that goes on after another one has discarded the copy",
      async (vault, browser) => {
        vault.add([a1], 0, 2);
        await setImmediate();
        browser.open().vault("v").discard({ what: "behind", at: 1, sequence: 2 });
        await setImmediate();
        vault.add([a2], 2, 3);
      },
      [0],
    ],
    [
      "lose a vault that the server does not list, also if a page of it comes later",
      (vault, browser) => {
        vault.add([a1], 0, 2);
        browser.open().list(browser.list("w"));
        return setImmediate().then(() => vault.add([a1], 0, 2));
      },
      undefined,
    ],
    [
      "are removed when somebody else opens their vaults",
      async (vault, browser) => {
        vault.add([a1], 0, 2);
        await setImmediate();
        browser.open("bob");
      },
      undefined,
    ],
    [
      "stay as they were when the browser has no more space",
      async (vault, browser) => {
        vault.add([a1], 0, 2);
        await setImmediate();
        browser.fill();
        vault.add([a2], 2, 3);
      },
      [2, "a 1 c2VhbGVk"],
    ],
    [
      "lose the content of an item that was destroyed, at its version only",
      (vault) => {
        vault.add([a2, b1], 0, 3);
        vault.erase([makeItem("a", 1, { ciphertext: "" }), makeItem("b", 1, { ciphertext: "" })]);
      },
      [3, "a 2 c2VhbGVk", "b 1 "],
    ],
    [
      "lose the content of a deleted item when its retention has ended",
      (vault) => vault.add([makeItem("a", 2, { deletedAt: day }), makeItem("b", 2, { deletedAt: day + 1 })], 0, 3),
      [3, "a 2 ", "b 2 c2VhbGVk"],
    ],
  ])("%s", async (_, act, expected) => {
    expect(await next(act)).toEqual(expected);
  });

  it("say why the one before was discarded, also once there is another one", async () => {
    const browser = createBrowser();
    const page = browser.open();
    page.list(browser.list("v"));
    const discarded = { what: "older", at: 1, sequence: 2 } as const;
    page.vault("v").discard(discarded);
    page.vault("v").add([a1], 0, 2);
    await setImmediate();
    expect(await browser.open().vault("v").read()).toEqual({ sequence: 2, items: [a1], discarded });
  });

  it("stay removed after the person has signed out, whatever an open page still writes", async () => {
    const browser = createBrowser();
    const page = browser.open();
    page.list(browser.list("v"));
    await setImmediate();
    browser.empty();
    page.list(browser.list("v", "w"));
    page.vault("v").add([a1], 0, 2);
    page.vault("v").discard({ what: "behind", at: 1, sequence: 2 });
    await setImmediate();
    expect([browser.count(), await page.vaults()]).toEqual([0, undefined]);
  });
});
