import { afterAll, vi } from "vitest";

// The setup file of test files that share a worker. A file fails if it leaves something changed for the next one.

/** Internal globals of libraries, and events whose listeners affect no test. */
const ignored = /^globalThis\.__|^process\.on\(exit\)$/;

/** Returns what a test file can change for the files that run after it in the same worker. */
function stateOfWorker(): ReadonlyMap<string, unknown> {
  const globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(([, { get }]) => !get);
  const state = [
    ...globals.map(([name, { value }]) => [`globalThis.${name}`, value] as const),
    ...Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const),
    ...process.eventNames().map((name) => [`process.on(${String(name)})`, process.listenerCount(name)] as const),
    ["process.cwd()", process.cwd()] as const,
    ["process.exitCode", process.exitCode] as const,
    ["vi.useFakeTimers()", vi.isFakeTimers()] as const,
  ];
  return new Map(state.filter(([name]) => !ignored.test(name)));
}

const before = stateOfWorker();
afterAll(() => {
  const after = stateOfWorker();
  const names = new Set([...before.keys(), ...after.keys()]);
  const left = [...names].filter((name) => !Object.is(before.get(name), after.get(name)));
  if (left.length === 0) return;
  throw new Error(
    `These tests share their worker with other files, and left changed: ${left.join(", ")}. Restore it after the test, or name the file *.isolated.test.ts.`,
  );
});
