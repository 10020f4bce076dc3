import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "../model/contract.ts";
import { type Finding, failure, startOf } from "../model/finding.ts";
import { kinds, type Lock, lockSchema } from "./lock.ts";
import { subjectsOf } from "./subjects.ts";

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

/** Creates the lock of the published packages of a contract. */
export function lockContract(contract: Contract): Lock {
  const subjects = subjectsOf(contract);
  const sections = kinds.map((kind) => {
    const sorted = [...subjects[kind]].sort((a, b) => (a.name < b.name ? -1 : 1));
    return [kind, Object.fromEntries(sorted.map(({ name, entry }) => [name, entry]))] as const;
  });
  return lockSchema.parse({ format: 2, ...Object.fromEntries(sections) });
}

const width = 120;

/** Prints a lock as Biome formats JSON: one property on a line, and lists on one line where they fit. */
export function printLock(lock: Lock): string {
  return `${print(lock, "", "")}\n`;
}

function print(value: unknown, indent: string, key: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(item));
    const line = `[${items.join(", ")}]`;
    // Leaves room for a comma.
    if (indent.length + key.length + line.length < width) return line;
    return `[\n${items.map((item) => inner + item).join(",\n")}\n${indent}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const start = `${JSON.stringify(name)}: `;
    return inner + start + print(member, inner, start);
  });
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}
