import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Faults } from "./faults.ts";
import { generate, generatedFolders } from "./generate.ts";

/** Generates beside the workspace, and compares: the workspace itself stays as it is, so that other checks may read it. */
export async function drift(root: string): Promise<Faults> {
  const target = mkdtempSync(join(tmpdir(), "generated-"));
  try {
    const failures = await generate(root, target);
    if (failures.length > 0) return failures;
    const committed = readGenerated(root);
    const fresh = readGenerated(target);
    const files = [...new Set([...committed.keys(), ...fresh.keys()])].sort();
    const drifted = files.filter((file) => committed.get(file) !== fresh.get(file));
    if (drifted.length === 0) return [];
    return [
      `Not what proto/ gives:\n${drifted.map((file) => `  ${file}`).join("\n")}\n\n` +
        "Change generated code by changing proto/, run `pnpm generate`, and commit both together.",
    ];
  } finally {
    rmSync(target, { recursive: true });
  }
}

function readGenerated(root: string): ReadonlyMap<string, string> {
  const files = generatedFolders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(root, file), readFileSync(file, "utf8")]));
}
