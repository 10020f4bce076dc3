import { expect, it } from "vitest";
import { usesThread } from "./open-storage.js";

it.each([
  ["auto", 1, 1, false],
  ["auto", 1, 2, true],
  ["auto", 2, 1, true],
  ["on", 1, 1, true],
  ["off", 1, 8, false],
] as const)(
  "STORAGE_THREAD=%s, WORKERS=%i, %i cores: a thread for the storage: %s",
  (storageThread, workers, cores, thread) => {
    expect(usesThread({ storageThread, workers }, cores)).toBe(thread);
  },
);
