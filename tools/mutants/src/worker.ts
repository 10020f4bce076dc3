import fc from "fast-check";
import { afterEach, beforeEach, vi } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The ids of the mutants that the tests of a file have reached. */
    reached?: readonly number[];
  }
}

// The setup file of the tests. It runs before each file, in one process: what a failed test has left must not fail the next one.
vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllEnvs();
vi.unstubAllGlobals();
// Properties use the same values with each mutant.
fc.configureGlobal({ seed: 1 });

let active: number | undefined;
const reached = new Set<number>();
Object.assign(globalThis, {
  activateMutant(id: number) {
    active = id;
  },
  mutant(id: number) {
    reached.add(id);
    return id === active;
  },
});

// A file stops at its first failure.
let failed = false;
beforeEach(({ skip }) => {
  if (failed) skip();
});
afterEach(({ task }) => {
  if (active === undefined) task.file.meta.reached = [...reached];
  else failed ||= task.result?.state === "fail";
});
