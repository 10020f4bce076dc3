import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Contract } from "../model/contract.ts";
import { type Finding, failure, startOf } from "../model/finding.ts";
import { generate, generatedFolders } from "./generate.ts";

/** Generates into a temporary folder and compares it with what is committed under `root`, which stays untouched. */
export async function drift(root: string, contract: Contract): Promise<readonly Finding[]> {
  const target = mkdtempSync(join(tmpdir(), "generated-"));
  try {
    const failures = await generate(root, target, contract);
    return failures.length > 0 ? failures : differences(readGenerated(root), readGenerated(target));
  } finally {
    rmSync(target, { recursive: true });
  }
}

/** Returns a finding that lists the files that differ, if any do. */
export function differences(
  committed: ReadonlyMap<string, string>,
  fresh: ReadonlyMap<string, string>,
): readonly Finding[] {
  const files = [...new Set([...committed.keys(), ...fresh.keys()])].sort();
  const drifted = files.filter((file) => committed.get(file) !== fresh.get(file));
  const [first] = drifted;
  if (first === undefined) return [];
  const message =
    `Generated files do not match proto/:\n${drifted.map((file) => `  ${file}`).join("\n")}\n` +
    "Fix: run `pnpm generate` and commit the files with the change. Never edit them.";
  return [failure("generated", startOf(first), message)];
}

/** Reads every generated file under a folder, by its path. */
export function readGenerated(root: string): ReadonlyMap<string, string> {
  const files = generatedFolders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(root, file), readFileSync(file, "utf8")]));
}
