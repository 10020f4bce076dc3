import { setImmediate } from "node:timers/promises";
import { deserialize, serialize } from "node:v8";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Item, ItemSchema } from "@platform-rpc/types";
import { MemberVaultSchema } from "@platform-rpc/types-internal/accounts";
import { describe, expect, it } from "vitest";
import type { KeptPerson } from "../session/kept-person.js";
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
  const recordsIn = (all: Map<string, Buffer>): Records => ({
    async get(key) {
      const found = all.get(JSON.stringify(key));
      return found && deserialize(found);
    },
    put(key, value) {
      if (isFull) throw new Error("The browser cannot store data of this site.");
      all.set(JSON.stringify(key), serialize(value));
    },
    remove(key) {
      // Of the text of a key, what a longer one begins with.
      const begin = JSON.stringify(key).slice(0, -1);
      for (const other of all.keys()) if (other.startsWith(begin)) all.delete(other);
    },
  });
  // One transaction after another, as in a browser. One that fails changes nothing.
  let last: Promise<unknown> = Promise.resolve();
  const store: RecordStore = {
    transact(_, work) {
      const running = last.then(async () => {
        const changed = new Map(stored);
        const result = await work(recordsIn(changed));
        stored = changed;
        return result;
      });
      last = running.catch(() => undefined);
      return running;
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
    find: (...key: string[]) => recordsIn(stored).get(key),
  };
}

const [a1, a2, b1] = [makeItem("a", 1), makeItem("a", 2), makeItem("b", 1)];
const keptPerson: KeptPerson = {
  person: {
    tenantId: "t",
    principalId: "ada",
    displayName: "Ada",
    apiUrl: "",
    mcpUrl: undefined,
    recoveryCodeMissing: false,
  },
  wrapped: {
    passkeys: [],
    memberKeys: { version: 1, nonce: "", ciphertext: "", signingPublicKey: "" },
    certificates: { certificates: [], removed: [] },
  },
};
const behind = { what: "behind", at: 1, sequence: 2 } as const;

/** Opens two tabs that know a vault, takes steps in them one after another, and returns what the next page finds of the vault. */
async function findAfter(...steps: readonly Step[]) {
  const browser = createBrowser();
  const page = browser.open();
  page.list(browser.list("v"));
  const [one, other] = [page.vault("v"), browser.open().vault("v")];
  for (const step of steps) {
    await setImmediate();
    step({ one, other, browser });
  }
  await setImmediate();
  const kept = await browser.open().vault("v").read();
  const itemsOf = ({ itemId, version, encryptedPayload }: Item) =>
    `${itemId} ${version} ${encryptedPayload?.ciphertext}`;
  return kept && [kept.sequence, ...kept.items.map(itemsOf).sort(), ...(kept.discarded ? [kept.discarded.what] : [])];
}

type Step = (tabs: {
  readonly one: KeptVault;
  readonly other: KeptVault;
  readonly browser: ReturnType<typeof createBrowser>;
}) => void;

const addFirst: Step = ({ one }) => one.add([a1, b1], 0, 2);
const addNext: Step = ({ one }) => one.add([a2], 2, 3);
const first = [2, "a 1 c2VhbGVk", "b 1 c2VhbGVk"];
const both = [3, "a 2 c2VhbGVk", "b 1 c2VhbGVk"];
const many: readonly Step[] = Array.from(
  { length: 30 },
  (_, at): Step =>
    ({ one }) =>
      one.add([makeItem("a", at + 3)], at + 3, at + 4),
);
const [ending, staying] = [makeItem("a", 2, { deletedAt: day }), makeItem("b", 2, { deletedAt: day + 1 })];

describe("the copies that a browser keeps", () => {
  it.each<readonly [string, readonly Step[], Awaited<ReturnType<typeof findAfter>>]>([
    ["contain all pages, and end where the last one does", [addFirst, addNext], both],
    ["do not end after a page whose rows before it are missing", [addNext], [0]],
    ["contain what two tabs list, also if one is late", [({ other }) => other.add([a2, b1], 0, 3), addFirst], both],
    [
      "contain nothing of a tab that goes on after another has discarded them",
      [addFirst, ({ other }) => other.discard(behind), addNext],
      [0, "behind"],
    ],
    [
      "say why the one before was discarded, also once there is another one",
      [({ other }) => other.discard(behind), addFirst],
      [...first, "behind"],
    ],
    [
      "lose a vault that the server does not list, also if a page of it comes later",
      [addFirst, ({ browser }) => browser.open().list(browser.list("w")), addFirst],
      undefined,
    ],
    [
      "are removed when somebody else opens their vaults",
      [addFirst, ({ browser }) => browser.open("bob"), addFirst],
      undefined,
    ],
    [
      "stay as they were when the browser has no more space",
      [addFirst, ({ browser }) => browser.fill(), addNext],
      first,
    ],
    [
      "lose the content of an item that was destroyed, at its version only",
      [
        addFirst,
        addNext,
        ({ one }) => one.erase([makeItem("a", 1, { ciphertext: "" }), makeItem("b", 1, { ciphertext: "" })]),
      ],
      [3, "a 2 c2VhbGVk", "b 1 "],
    ],
    [
      "lose the content of a deleted item when its retention has ended",
      [({ one }) => one.add([ending, staying], 0, 3)],
      [3, "a 2 ", "b 2 c2VhbGVk"],
    ],
    [
      "contain the newest of each item after many changes",
      [addFirst, addNext, ...many],
      [33, "a 32 c2VhbGVk", "b 1 c2VhbGVk"],
    ],
  ])("%s", async (_, steps, expected) => {
    expect(await findAfter(...steps)).toEqual(expected);
  });

  it("are written again when they have many pages", async () => {
    const browser = createBrowser();
    const page = browser.open();
    const one = page.vault("v");
    page.list(browser.list("v"));
    for (const step of [addFirst, addNext, ...many]) step({ one, other: one, browser });
    await setImmediate();
    expect(browser.count()).toBe(3 + 32);
    await one.read();
    await setImmediate();
    expect(browser.count()).toBe(3 + 1);
  });

  it("say whose they are, until somebody else opens their vault in this browser", async () => {
    const browser = createBrowser();
    await browser.open().keepPerson(async () => keptPerson);
    await setImmediate();
    expect(browser.count()).toBe(2);
    browser.open("eve");
    await setImmediate();
    expect(browser.count()).toBe(1);
  });

  it("stay removed after the person has signed out, whatever an open page still writes", async () => {
    const browser = createBrowser();
    const page = browser.open();
    page.list(browser.list("v"));
    await setImmediate();
    browser.empty();
    page.list(browser.list("v", "w"));
    page.vault("v").add([a1], 0, 2);
    page.vault("v").discard(behind);
    await page.keepPerson(async () => keptPerson);
    await setImmediate();
    expect(browser.count()).toBe(0);
  });

  it("keep what unlocks the browser as the server said last, however slow an earlier answer is", async () => {
    const browser = createBrowser();
    const page = browser.open();
    const withPasskey = { ...keptPerson, wrapped: { ...keptPerson.wrapped, passkeys: [{ id: "removed since" }] } };
    const slow = async () => {
      await setImmediate();
      return withPasskey;
    };
    const failing = () => Promise.reject(new Error("The server did not answer."));
    const first = page.keepPerson(slow);
    const second = expect(page.keepPerson(failing)).rejects.toThrow("did not answer");
    await Promise.all([first, second, page.keepPerson(async () => keptPerson)]);
    await setImmediate();
    expect(await browser.find("person")).toEqual(keptPerson);
  });

  it("name the items that the person used last, in all tabs, and those of nobody else", async () => {
    const browser = createBrowser();
    const [page, other] = [browser.open(), browser.open()];
    for (const key of ["v/1", "v/2", "v/3", "v/1"]) page.use(key);
    await setImmediate();
    for (const key of ["v/4", "v/5", "v/6", "v/7"]) other.use(key);
    await setImmediate();
    expect(await page.recent()).toEqual(["v/1", "v/3", "v/2"]);
    expect(await browser.open().recent()).toEqual(["v/7", "v/6", "v/5", "v/4", "v/1", "v/3"]);
    page.list(browser.list("w"));
    await setImmediate();
    expect(await browser.open().recent()).toEqual([]);
    page.use("w/1");
    await setImmediate();
    expect(await browser.open("bob").recent()).toEqual([]);
    expect(await browser.open().recent()).toEqual([]);
  });
});
