import { setImmediate } from "node:timers/promises";
import type { AnyRule, BoundRule } from "../../../domain/rule.js";

/**
 * A gate that stops a thread: 0 closed and not reached, 1 a thread waits at it, 2 open. Shared memory, because a blocked thread
 * receives no message.
 */
export type Gate = Int32Array<SharedArrayBuffer>;

export function createGate(): Gate {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Resolves when a thread waits at the gate. */
export async function reached(gate: Gate): Promise<void> {
  while (Atomics.load(gate, 0) === 0) await setImmediate();
}

export function openGate(gate: Gate): void {
  Atomics.store(gate, 0, 2);
  Atomics.notify(gate, 0);
}

/** A rule that blocks the storage's thread until the gate is opened, like a commit that waits for the disk. */
export const blockThread: AnyRule & ((gate: Gate) => BoundRule<unknown, undefined>) = Object.defineProperty(
  (gate: Gate): BoundRule<unknown, undefined> => ({
    name: "blockThread",
    args: [gate],
    decide() {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      while (Atomics.load(gate, 0) !== 2) Atomics.wait(gate, 0, 1);
      return { outcome: undefined, writes: [] };
    },
  }),
  "name",
  { value: "blockThread" },
);
