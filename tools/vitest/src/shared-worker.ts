import { afterAll } from "vitest";
import { watchWorker } from "./leftovers.ts";

// The setup file of test files that share a worker. A file fails if it leaves something changed for the next one.
const changes = watchWorker();
afterAll(() => {
  const left = changes();
  if (left.length === 0) return;
  throw new Error(
    `These tests share their worker with other files, and left changed: ${left.join(", ")}. Restore it after the test, or name the file *.isolated.test.ts.`,
  );
});
