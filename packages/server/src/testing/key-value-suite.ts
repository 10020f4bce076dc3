import { describe, expect, it, onTestFinished } from "vitest";
import { mostEarlierBytes } from "../domain/model/item.js";
import type { KeyValueStore } from "../ports/key-value-store.js";
import { createKeyValueStorage } from "../storage/key-value/create-key-value-storage.js";
import { keys as storedKeys } from "../storage/key-value/keys.js";
import { describeStorage } from "./storage-suite.js";

/** Opens a store. Each one that it returns has the same data, like those of several processes. */
export type OpenKeyValueStore = () => KeyValueStore | Promise<KeyValueStore>;

/**
 * Defines the contract of the `KeyValueStore` port as vitest tests, and runs the suite of `describeStorage` on the storage that
 * `createKeyValueStorage` makes of the store.
 *
 * The suite tests two promises only in part: that a commit survives a power cut, because it only closes and opens the store, and
 * that replaced values are erased, because it does not know your files.
 *
 * ```ts
 * describeKeyValueStore("my store", async () => {
 *   const database = await createEmptyDatabase();
 *   return () => openMyStore(database);
 * });
 * ```
 *
 * @param name the name of the store in the test report
 * @param createData creates new, empty data for each test, and returns a function that opens stores on it
 */
export function describeKeyValueStore(name: string, createData: () => Promise<OpenKeyValueStore>): void {
  describe(`KeyValueStore contract: ${name}`, () => {
    const openTwo = async (): Promise<readonly [KeyValueStore, KeyValueStore]> => {
      const open = await createData();
      const stores = [await open(), await open()] as const;
      onTestFinished(async () => {
        await Promise.all(stores.map((store) => store.close()));
      });
      return stores;
    };
    const put = (store: KeyValueStore, ...pairs: readonly (readonly [key: string, value: string | undefined])[]) =>
      store.commit({ expected: new Map(), changes: new Map(pairs) });

    it("get returns values in the order of the keys, and undefined for absent keys", async () => {
      const [store, other] = await openTwo();
      expect(await store.get(["a"])).toEqual([undefined]);
      expect(await put(store, ["a", "1"], ["b", "2"])).toBe(true);
      for (const each of [store, other]) expect(await each.get(["b", "none", "a"])).toEqual(["2", undefined, "1"]);
    });

    it.each([
      ["empty", ""],
      ["a number", "0"],
      ["blanks", "  "],
      ["quotes", `'"\\%_`],
      ["beyond ASCII", "žluťoučký kůň 🐎 \u{10ffff} \u007f \u2028"],
      ["the largest earlier contents of an item", "v".repeat(mostEarlierBytes)],
      ["128 KiB", "v".repeat(131_072)],
    ])("a value is returned as it was written: %s", async (_, value) => {
      const [store] = await openTwo();
      await put(store, ["a", value]);
      expect(await store.get(["a"])).toEqual([value]);
      expect(await store.list({ from: "a", to: "b", limit: 1 })).toEqual([{ key: "a", value }]);
    });

    it("list returns the keys of a range in the order of their bytes, from both ends, up to the limit", async () => {
      const [store] = await openTwo();
      const characters = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
      // A character alone, in the middle and at the end.
      const keys = characters.flatMap((each) => [`k${each}`, `k${each}a`, `ka${each}`]);
      const sorted = [...new Set(keys)].sort();
      await put(store, ["j", "before"], ["l", "after"], ...sorted.map((key) => [key, key] as const));
      const list = async (from: string, to: string, limit: number, reverse?: boolean) =>
        (await store.list({ from, to, limit, reverse })).map(({ key }) => key);
      expect(await list("k", "l", 1000)).toEqual(sorted);
      expect(await list("k", "l", 1000, true)).toEqual(sorted.toReversed());
      expect(await list("k", "l", 3)).toEqual(sorted.slice(0, 3));
      expect(await list("k", "l", 3, true)).toEqual(sorted.slice(-3).reverse());
      expect(await list("kZ", "ka", 1000)).toEqual(sorted.filter((key) => key >= "kZ" && key < "ka"));
      expect(await list("kZa", "kZa", 1000)).toEqual([]);
      expect(await list("kb", "ka", 1000)).toEqual([]);
    });

    it("commit replaces and deletes, also a key that does not exist", async () => {
      const [store] = await openTwo();
      await put(store, ["a", "1"], ["b", "2"]);
      expect(await put(store, ["a", "3"], ["b", undefined], ["none", undefined])).toBe(true);
      expect(await store.list({ from: " ", to: "~", limit: 9 })).toEqual([{ key: "a", value: "3" }]);
    });

    it.each([
      ["another value", "a", "2"],
      ["a value, and there is no such key", "none", "1"],
      ["no such key, and there is one", "a", undefined],
      ["an empty value, and there is no such key", "none", ""],
    ])("commit writes nothing if it expects %s", async (_, key, value) => {
      const [store] = await openTwo();
      await put(store, ["a", "1"], ["b", "1"]);
      const expected = new Map([
        ["b", "1"],
        [key, value],
      ]);
      const changes = new Map([
        ["b", undefined],
        ["c", "2"],
      ]);
      expect(await store.commit({ expected, changes })).toBe(false);
      expect(await store.get(["a", "b", "c"])).toEqual(["1", "1", undefined]);
    });

    it("one of several commits that expect the same wins, also against another process", async () => {
      const stores = await openTwo();
      const increment = async (store: KeyValueStore, key: string): Promise<boolean> => {
        const [count] = await store.get([key]);
        const changes = new Map([[key, String(Number(count ?? 0) + 1)]]);
        return store.commit({ expected: new Map([[key, count]]), changes });
      };
      const written = new Map<string, number>();
      for (let round = 0; round < 60; round += 1) {
        // Each key is created by one of several commits, then replaced.
        const key = `count-${round >> 1}`;
        const results = await Promise.all(stores.flatMap((store) => [increment(store, key), increment(store, key)]));
        expect(results).toContain(true);
        written.set(key, (written.get(key) ?? 0) + results.filter((result) => result).length);
      }
      expect(await stores[0].get([...written.keys()])).toEqual([...written.values()].map(String));
    });

    it("commit also compares keys that it does not change: one of two that change what the other expects wins", async () => {
      const [first, second] = await openTwo();
      for (let round = 0; round < 30; round += 1) {
        const [a, b] = [`a-${round}`, `b-${round}`];
        if (round % 2 === 1) await put(first, [a, "0"], [b, "0"]);
        const before = round % 2 === 1 ? "0" : undefined;
        const results = await Promise.all([
          first.commit({ expected: new Map([[a, before]]), changes: new Map([[b, "1"]]) }),
          second.commit({ expected: new Map([[b, before]]), changes: new Map([[a, "1"]]) }),
        ]);
        const written = results.filter((result) => result).length;
        expect(written).toBeLessThan(2);
        expect((await first.get([a, b])).filter((value) => value === "1")).toHaveLength(written);
      }
    });

    it("get and list see no part of a commit", async () => {
      const [writer, reader] = await openTwo();
      const keys = Array.from({ length: 50 }, (_, index) => `key-${index}`);
      let writing = true;
      const write = async () => {
        for (let round = 0; round < 30; round += 1) await put(writer, ...keys.map((key) => [key, `${round}`] as const));
        writing = false;
      };
      const read = async () => {
        do {
          expect(new Set(await reader.get(keys)).size).toBe(1);
          const listed = await reader.list({ from: "key-", to: "key.", limit: 50 });
          expect(new Set(listed.map(({ value }) => value)).size).toBeLessThan(2);
          await new Promise((resolve) => setTimeout(resolve));
        } while (writing);
      };
      await Promise.all([write(), read()]);
    });

    it("get and commit take thousands of keys, and a store that is opened later has all of them", async () => {
      const open = await createData();
      const store = await open();
      const keys = Array.from({ length: 4000 }, (_, index) => `key-${index}`);
      expect(await put(store, ...keys.map((key) => [key, key] as const))).toBe(true);
      expect(await store.get(keys)).toEqual(keys);
      await store.close();
      const later = await open();
      const expected = new Map(keys.map((key) => [key, key]));
      expect(await later.commit({ expected, changes: new Map(keys.map((key) => [key, undefined])) })).toBe(true);
      expect(await later.list({ from: " ", to: "~", limit: 9 })).toEqual([]);
      await later.close();
    });
  });

  describeStorage(name, async () => {
    const open = await createData();
    const store = await open();
    return {
      storage: createKeyValueStorage(store),
      async setSequence(tenantId, vaultId, sequence) {
        const changes = new Map([[storedKeys.head(tenantId, vaultId), String(sequence)]]);
        await store.commit({ expected: new Map(), changes });
      },
      reopen: async () => createKeyValueStorage(await open()),
    };
  });
}
