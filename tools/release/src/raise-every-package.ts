import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "./workspace.ts";

/**
 * Adds a changeset that raises every published package of a workspace, so that `changeset version` raises the versions even right
 * after a release.
 */
export function raiseEveryPackage(workspace: string, summary: string): void {
  const raised = publishedPackages(workspace).map(({ manifest }) => `"${manifest.name}": patch`);
  writeFileSync(join(workspace, ".changeset/raise-every-package.md"), `---\n${raised.join("\n")}\n---\n\n${summary}\n`);
}
