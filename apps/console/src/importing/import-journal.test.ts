import { expect, it } from "vitest";
import type { KeptStore } from "../editing/kept-store.js";
import { createImportJournal, type KeptImport } from "./import-journal.js";

const newKey = () => crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);

function inMemory() {
  const kept = new Map<string, KeptImport>();
  const store: KeptStore<KeptImport> = {
    get: async (name) => kept.get(name),
    put: async (name, record) => void kept.set(name, record),
    remove: async (name) => void kept.delete(name),
  };
  return { kept, store };
}

const record = {
  vaultId: "v",
  itemIds: ["i-1", "i-2"],
  startedAt: "2026-01-02T03:04:05.000Z",
  list: { titles: ["Mail", "Bank"], skipped: [{ where: "“Large”", why: "The item is too large." }], changed: ["Shop"] },
};

it("an import is kept with what was skipped, and nothing of the file is in plaintext", async () => {
  const { kept, store } = inMemory();
  const key = await newKey();
  await createImportJournal("ada", store).keep(key, record);
  const [stored = expect.unreachable("it is kept")] = kept.values();
  const text = `${JSON.stringify(stored)}${Buffer.from(stored.sealedList.ciphertext).toString("latin1")}`;
  expect(text).toContain("i-1");
  for (const secret of ["Mail", "Bank", "Large", "too large"]) expect(text).not.toContain(secret);
  expect(await createImportJournal("ada", store).read(key)).toEqual(record);
  await createImportJournal("ada", store).forget();
  expect(await createImportJournal("ada", store).read(key)).toBeUndefined();
});

it("without its key, or for another import, the ids can be read, and the list cannot", async () => {
  const { kept, store } = inMemory();
  const key = await newKey();
  const journal = createImportJournal("ada", store);
  await journal.keep(key, record);
  const closed = { ...record, list: undefined };
  expect(await journal.read(undefined)).toEqual(closed);
  expect(await journal.read(await newKey())).toEqual(closed);
  const [stored = expect.unreachable("it is kept")] = kept.values();
  kept.set("ada", { ...stored, startedAt: "2027-01-02T03:04:05.000Z" });
  expect(await journal.read(key)).toMatchObject({ itemIds: record.itemIds, list: undefined });
  kept.set("bob", stored);
  expect(await createImportJournal("bob", store).read(key)).toEqual(closed);
});

it("a browser that stores nothing has no import, and none can be started in it", async () => {
  const fail = () => Promise.reject(new Error("not allowed"));
  const failing: KeptStore<KeptImport> = { get: fail, put: fail, remove: fail };
  const journal = createImportJournal("ada", failing);
  expect(await journal.read(await newKey())).toBeUndefined();
  await expect(journal.keep(await newKey(), record)).rejects.toThrow("not allowed");
  await journal.forget();
});
