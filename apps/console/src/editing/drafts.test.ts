import { expect, it } from "vitest";
import { createDrafts } from "./drafts.js";
import type { KeptStore } from "./kept-store.js";
import type { SealedText } from "./sealed-text.js";

const newKey = () => crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);

function inMemory(): KeptStore<SealedText> & { readonly kept: Map<string, SealedText> } {
  const kept = new Map<string, SealedText>();
  return {
    kept,
    get: async (name) => kept.get(name),
    put: async (name, sealed) => void kept.set(name, sealed),
    remove: async (name) => void kept.delete(name),
  };
}

it("a draft is kept encrypted, and read again with the same key", async () => {
  const store = inMemory();
  const key = await newKey();
  await createDrafts("ada", key, store).write("v/i", "typed and not saved");
  expect(JSON.stringify([...store.kept].map(([, { ciphertext }]) => Buffer.from(ciphertext).toString()))).not.toContain(
    "typed",
  );
  expect(await createDrafts("ada", key, store).read("v/i")).toBe("typed and not saved");
  await createDrafts("ada", key, store).discard("v/i");
  expect(await createDrafts("ada", key, store).read("v/i")).toBeUndefined();
});

it("nobody else reads it, and it is not taken for the draft of another item", async () => {
  const store = inMemory();
  const key = await newKey();
  await createDrafts("ada", key, store).write("v/i", "typed");
  expect(await createDrafts("ada", await newKey(), store).read("v/i")).toBeUndefined();
  const [[, sealed] = expect.unreachable("it is kept")] = [...store.kept];
  await store.put("ada/v/other", sealed);
  await store.put("bob/v/i", sealed);
  expect(await createDrafts("ada", key, store).read("v/other")).toBeUndefined();
  expect(await createDrafts("bob", key, store).read("v/i")).toBeUndefined();
});

it("a browser that does not store data has no drafts", async () => {
  const failing: KeptStore<SealedText> = { ...inMemory(), get: () => Promise.reject(new Error("not allowed")) };
  expect(await createDrafts("ada", await newKey(), failing).read("v/i")).toBeUndefined();
});
