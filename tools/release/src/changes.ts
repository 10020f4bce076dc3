import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspacePackage } from "./workspace.ts";

/** Returns the release notes of a version: its sections in the changelogs of all packages. */
export function changesOf(packages: readonly WorkspacePackage[], version: string): string {
  return packages
    .map(({ folder, manifest }) => ({ name: manifest.name, changes: sectionOf(join(folder, "CHANGELOG.md"), version) }))
    .map(({ name, changes }) => `# ${name}\n\n${changes === "" ? "No changes." : changes}\n`)
    .join("\n");
}

/** Returns the section of a version. Changesets writes one for each version, headed `## 1.2.0`, newest first. */
function sectionOf(changelog: string, version: string): string {
  const sections = existsSync(changelog) ? readFileSync(changelog, "utf8").split(/^## /m) : [];
  const section = sections.find((text) => text.split("\n", 1)[0]?.trim() === version) ?? "";
  return section.slice(section.indexOf("\n") + 1).trim();
}
