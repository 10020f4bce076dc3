import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspacePackage } from "./workspace.ts";

/** Returns what the changelogs of all packages say about one version, as the notes of its release. */
export function changesOf(packages: readonly WorkspacePackage[], version: string): string {
  return packages
    .map(({ folder, manifest }) => ({ name: manifest.name, changes: sectionOf(join(folder, "CHANGELOG.md"), version) }))
    .map(({ name, changes }) => `# ${name}\n\n${changes === "" ? "No changes of its own." : changes}\n`)
    .join("\n");
}

/** Changesets writes a section for each version: `## 1.2.0`, the newest first. */
function sectionOf(changelog: string, version: string): string {
  const sections = existsSync(changelog) ? readFileSync(changelog, "utf8").split(/^## /m) : [];
  const section = sections.find((text) => text.split("\n", 1)[0]?.trim() === version) ?? "";
  return section.slice(section.indexOf("\n") + 1).trim();
}
