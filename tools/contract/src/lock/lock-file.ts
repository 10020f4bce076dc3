import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finding, failure, type Place, startOf } from "../finding.ts";
import { printJson } from "./print.ts";
import type { Lock } from "./schema.ts";

/** The lock of today's contract: a change of the contract shows in it, in a review, in plain words. */
const lockFile = "proto/contract.lock.json";

export function writeLock(root: string, lock: Lock): void {
  writeFileSync(join(root, lockFile), printJson(lock));
}

/** Whether the committed lock is what the contract gives. */
export function lockDrift(root: string, lock: Lock): readonly Finding[] {
  const fresh = printJson(lock);
  const committed = readOrNothing(join(root, lockFile));
  if (committed === fresh) return [];
  const what = committed === undefined ? "is missing" : "is not what the contract gives";
  const place = committed === undefined ? startOf(lockFile) : firstDifference(committed, fresh);
  return [
    failure("lock-drift", place, `The lock ${what}. Run \`pnpm contract lock\`, and commit it with your change.`),
  ];
}

function firstDifference(committed: string, fresh: string): Place {
  const wanted = fresh.split("\n");
  const index = committed.split("\n").findIndex((line, number) => line !== wanted[number]);
  return { file: lockFile, line: Math.max(index, 0) + 1, column: 1 };
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
