import { expect, it } from "vitest";
import type { OpenContent } from "./open-content.js";
import { createSeenVersions, type VersionStore } from "./seen-versions.js";

function inMemory(): VersionStore & { readonly versions: Map<string, ReadonlyMap<string, number>> } {
  const versions = new Map<string, ReadonlyMap<string, number>>();
  return {
    versions,
    read: async (vaultId) => versions.get(vaultId),
    write: async (vaultId, seen) => void versions.set(vaultId, new Map(seen)),
  };
}

const content = (sealedVersion: number, changes: Partial<OpenContent> = {}): OpenContent => ({
  title: "Mail",
  fields: [],
  sealedVersion,
  ...changes,
});
const atOnce = (write: () => void) => write();

it("an item is marked when the server answers with a version older than one that this browser has opened", async () => {
  const store = inMemory();
  const seen = createSeenVersions("vault", store, atOnce);
  expect(await seen.mark(["one", "two"], [content(3), content(1)])).toEqual([content(3), content(1)]);
  expect(await seen.mark(["one", "two"], [content(2), content(2)])).toEqual([content(2, { olderThan: 3 }), content(2)]);
  const reloaded = createSeenVersions("vault", store, atOnce);
  expect(await reloaded.mark(["one"], [content(2)])).toEqual([content(2, { olderThan: 3 })]);
  expect(await createSeenVersions("other", store, atOnce).mark(["one"], [content(2)])).toEqual([content(2)]);
});

it("contents are shown although the browser stores nothing", async () => {
  const failing = { read: () => Promise.reject(new Error("full")), write: () => Promise.reject(new Error("full")) };
  const seen = createSeenVersions("vault", failing, atOnce);
  await seen.mark(["one"], [content(3)]);
  const closed = { closed: "The content was altered." };
  expect(await seen.mark(["one", "two"], [content(2), closed])).toEqual([content(2, { olderThan: 3 }), closed]);
});
