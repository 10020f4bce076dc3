import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspacePackage } from "./workspace.ts";

/** An address on a host that nobody can ever own (RFC 2606 section 2), as in the URLs that errors lead to. */
const placeholder = /https?:\/\/(?:[\w-]+\.)*example(?!\.?[\w-])[^\s"'`]*/;

/**
 * What a built package says of itself that was never filled in, one finding a line. `repository` is where it is
 * published from, in the words of a manifest.
 */
export function placeholdersOf({ folder, manifest }: WorkspacePackage, repository: string): readonly string[] {
  const findings: string[] = [];
  const { name, repository: named } = manifest;
  if (named?.url !== repository) {
    findings.push(`${name} names ${named?.url} as its repository, and is published from ${repository}.`);
  }
  const built = globSync("dist/**/*.{js,cjs}", { cwd: folder }).sort();
  if (built.length === 0) findings.push(`${name} is not built.`);
  return [...findings, ...placeholdersIn(name, folder, built)];
}

/** Returns each of some files, given by their paths in `folder`, that leads users to a placeholder, one finding a line. */
export function placeholdersIn(name: string, folder: string, files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const [found] = placeholder.exec(readFileSync(join(folder, file), "utf8")) ?? [];
    return found === undefined ? [] : [`${name} leads its users to ${found}, in ${file}.`];
  });
}
