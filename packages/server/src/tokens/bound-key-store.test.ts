import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createBoundKeyStore, KeysMismatchError } from "./bound-key-store.js";
import type { KeyStore } from "./key-file.js";
import { createKeyRing } from "./key-ring.js";
import { createMemoryKeyStore } from "./memory-key-store.js";

function database() {
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const clock = fakeClock();
  return {
    start: (store: KeyStore, replace?: string) =>
      createKeyRing({ store: createBoundKeyStore({ store, storage, place: "/srv/keys.json", replace }), clock }),
  };
}

async function errorOf(starting: Promise<unknown>): Promise<KeysMismatchError> {
  const thrown = await starting.catch((error: unknown) => error);
  if (thrown instanceof KeysMismatchError) return thrown;
  throw new TypeError("the start did not fail");
}

describe("DECISIONS section 5: the keys of a database", () => {
  it("are created at the first start and accepted at every later one", async () => {
    const { start } = database();
    const store = createMemoryKeyStore();
    const ring = await start(store);
    expect((await start(store)).hmacKey).toEqual(ring.hmacKey);
  });

  it("are the same for all processes that start at the same moment, also for one that found no keys just before", async () => {
    const { start } = database();
    const store = createMemoryKeyStore();
    let loads = 0;
    const late: KeyStore = {
      save: store.save,
      async load() {
        const found = await store.load();
        loads += 1;
        if (loads === 1) await start(store);
        return found;
      },
    };
    const rings = await Promise.all([start(late), start(store), start(store)]);
    expect(new Set(rings.map(({ hmacKey }) => hmacKey.toString())).size).toBe(1);
  });

  it("are not replaced when they are missing: the start fails and writes nothing", async () => {
    const { start } = database();
    const kept = createMemoryKeyStore();
    await start(kept);
    const lost = createMemoryKeyStore();
    const error = await errorOf(start(lost));
    expect(error.message).toMatch(
      /^The key file \/srv\/keys\.json is missing\. The database was last used with the keys [0-9a-f]{16}\.$/,
    );
    expect(await lost.load()).toBeUndefined();
    await start(kept);
  });

  it("are replaced once when the operator passes their id", async () => {
    const { start } = database();
    const first = createMemoryKeyStore();
    const ring = await start(first);
    const { expected } = await errorOf(start(createMemoryKeyStore()));
    const second = createMemoryKeyStore();
    expect((await start(second, expected)).hmacKey).not.toEqual(ring.hmacKey);
    await start(second);
    const third = createMemoryKeyStore();
    expect((await errorOf(start(third, expected))).found).toBeUndefined();
    expect((await errorOf(start(first))).found).toBe(expected);
  });

  it("are saved again by a running key ring when their store loses them", async () => {
    const { start } = database();
    let store = createMemoryKeyStore();
    const losing: KeyStore = { load: () => store.load(), save: (...files) => store.save(...files) };
    const ring = await start(losing);
    const before = await store.load();
    store = createMemoryKeyStore();
    await ring.tick();
    expect(await store.load()).toEqual(before);
  });
});
