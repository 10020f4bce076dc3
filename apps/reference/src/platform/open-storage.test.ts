import { expect, it } from "vitest";
import { usesThread } from "./open-storage.js";

it.each([
  ["auto", 1, false],
  ["auto", 2, true],
  ["on", 1, true],
  ["off", 8, false],
] as const)("STORAGE_THREAD=%s, %i cores: a thread for the storage: %s", (storageThread, cores, thread) => {
  expect(usesThread({ storageThread }, cores)).toBe(thread);
});
