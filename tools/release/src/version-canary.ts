import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./run.ts";
import { publishedPackages, root } from "./workspace.ts";

/** Adds a changeset for every published package, so that `changeset version` raises the versions even right after a release. */
export function raiseEveryPackage(workspace: string, summary: string): void {
  const raised = publishedPackages(workspace).map(({ manifest }) => `"${manifest.name}": patch`);
  writeFileSync(join(workspace, ".changeset/raise-every-package.md"), `---\n${raised.join("\n")}\n---\n\n${summary}\n`);
}

if (import.meta.main) {
  // Gives the workspace the versions of a canary, such as 1.3.0-canary.20270131120000. The changes are not committed.
  raiseEveryPackage(root, "A canary of the main branch.");
  console.log(
    await mustRun(join(root, "node_modules/.bin/changeset"), ["version", "--snapshot", "canary"], { cwd: root }),
  );
}
