import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspacePackage } from "./workspace.ts";

/** A URL with a reserved host that nobody can own (RFC 2606 section 2). Published packages must not contain such a URL. */
const placeholder = /https?:\/\/(?:[\w-]+\.)*example(?!\.?[\w-])[^\s"'`]*/;

/**
 * Returns a finding for each placeholder in a built package, and for a wrong repository in its manifest. `repository` is
 * the repository it is published from, as a manifest names it.
 */
export function placeholdersOf({ folder, manifest }: WorkspacePackage, repository: string): readonly string[] {
  const findings: string[] = [];
  const { name, repository: named } = manifest;
  if (named?.url !== repository) {
    findings.push(`${name} names ${named?.url} as its repository, but is published from ${repository}.`);
  }
  const built = globSync("dist/**/*.{js,cjs}", { cwd: folder }).sort();
  if (built.length === 0) findings.push(`${name} is not built.`);
  return [...findings, ...placeholdersIn(name, folder, built)];
}

/** Returns a finding for each file with a placeholder URL. The paths of the files are relative to `folder`. */
export function placeholdersIn(name: string, folder: string, files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const [found] = placeholder.exec(readFileSync(join(folder, file), "utf8")) ?? [];
    return found === undefined ? [] : [`${name} contains the placeholder ${found} in ${file}.`];
  });
}
