import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finding, failure } from "../finding.ts";
import { startOf } from "../model/place.ts";
import type { Lock } from "./lock.ts";
import { printLock } from "./print-lock.ts";

/** The path of the current lock, from the root of the workspace. */
export const lockFile = "proto/contract.lock.json";

export function writeLock(root: string, lock: Lock): void {
  writeFileSync(join(root, lockFile), printLock(lock));
}

/** Returns a finding when the committed lock does not match proto/. */
export function lockDrift(root: string, lock: Lock): readonly Finding[] {
  const path = join(root, lockFile);
  if (existsSync(path) && readFileSync(path, "utf8") === printLock(lock)) return [];
  const message = "The lock does not match proto/.\nFix: run `pnpm contract lock` and commit it with the change.";
  return [failure("lock-drift", startOf(lockFile), message)];
}
