/*
 * How these tests simulate power cuts
 *
 * SQLite's own tests replace its file system layer to simulate a power cut. `node:sqlite` does not allow that, so these tests
 * record instead. A process runs the storage under a library that appends every operation on the database's files to a log
 * (shim.c), together with the process's own marks: which calls it began, and which were acknowledged. From this log, the
 * tests compute what the disk can contain after a power cut between any two operations (crash-states.ts). They open
 * it with the storage (inspect.ts) and compare it with what the marks allow (model.ts).
 *
 * The simulated disk promises as little as SQLite requires. It keeps what was flushed. Of everything else it keeps any
 * subset: completely, in part, in any order, or as garbage. It keeps a name once the folder was flushed. After a failed
 * flush, the data may never reach the disk, even if a later flush succeeds.
 *
 * The environment variable POWER_CUT_RUNS is the percentage of power cuts: 10000 simulates a hundred times as many.
 *
 * @see https://www.sqlite.org/atomiccommit.html what SQLite assumes about disks, section 2
 * @see https://www.sqlite.org/wal.html
 * @see https://www.sqlite.org/howtocorrupt.html section 3: disks that do not flush
 * @see https://www.sqlite.org/testing.html section 3.3: crash testing
 * @see https://wiki.postgresql.org/wiki/Fsync_Errors why a failed flush is not repeated
 */
import fc from "fast-check";
import { expect } from "vitest";
import { createCrashStates, type PowerCut } from "./crash-states.js";
import { inspect, type OpenStorage } from "./inspect.js";
import type { Operation } from "./operation.js";

/** Returns `usual` times the percentage in the environment variable POWER_CUT_RUNS. Default: 100. */
export function runs(usual: number): number {
  const { POWER_CUT_RUNS = 100 } = process.env;
  return Math.ceil((usual * Number(POWER_CUT_RUNS)) / 100);
}

/**
 * Generates power cuts during a recording.
 *
 * @param from the first operation before which the power is cut. Default: the first one of a process.
 */
export function powerCuts(
  operations: readonly Operation[],
  from = operations.findIndex(({ kind }) => kind === "start"),
): fc.Arbitrary<PowerCut> {
  return fc.record({
    after: fc.integer({ min: from, max: operations.length }),
    survives: fc.constantFrom(0, 0.1, 0.5, 0.9, 1),
    tears: fc.constantFrom(0, 0.2, 1),
    seed: fc.nat(),
  });
}

/**
 * Simulates power cuts during a recording, and fails if one loses or damages anything.
 *
 * @param earlier the marks before the recording. Default: none.
 * @param from as for `powerCuts`.
 * @param open opens what a power cut left. Default: this version.
 */
export function surviveAll(
  operations: readonly Operation[],
  options: {
    readonly cuts: number;
    readonly earlier?: readonly string[];
    readonly from?: number;
    readonly open?: OpenStorage;
  },
): Promise<void> {
  const { cuts, earlier = [], from, open } = options;
  const states = createCrashStates(operations);
  const survives = fc.asyncProperty(powerCuts(operations, from), async (cut) => {
    const { files, marks } = states(cut);
    expect(await inspect({ files, marks: [...earlier, ...marks] }, open)).toEqual([]);
  });
  return fc.assert(survives, { numRuns: cuts });
}

/** Returns whether power cuts during a recording cause a contradiction of a certain kind. */
export async function findsContradiction(operations: readonly Operation[], kind: RegExp): Promise<boolean> {
  const states = createCrashStates(operations);
  for (const cut of fc.sample(powerCuts(operations), 200)) {
    const found = await inspect(states(cut));
    if (found.some((each) => kind.test(each))) return true;
  }
  return false;
}
