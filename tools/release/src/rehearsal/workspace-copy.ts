import { cpSync, globSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

import { mustRun } from "../run.ts";
import { raiseEveryPackage } from "../version-canary.ts";
import { publishedPackages, root, type WorkspacePackage } from "../workspace.ts";

export interface WorkspaceCopy {
  readonly folder: string;
  readonly packages: readonly WorkspacePackage[];
}

const skipped = new Set(["node_modules", ".git", ".turbo", "coverage"]);
const settings = ["package.json", "pnpm-workspace.yaml", "LICENSE", ".changeset"];
/** The last two are packed into the package of types. */
const parts = [...settings, "packages", "apps", "tools", "proto", "docs/errors", "docs/operations"];

/** Copies the workspace, and raises the versions there with changesets: to a release, or to a snapshot of that name. */
export async function copyWorkspace(folder: string, snapshot?: string): Promise<WorkspaceCopy> {
  mkdirSync(folder, { recursive: true });
  for (const part of parts) {
    cpSync(join(root, part), join(folder, part), {
      recursive: true,
      filter: (source) => !skipped.has(basename(source)),
    });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  raiseEveryPackage(folder, "Rehearsed.");
  // changesets reads the commit of each change from git.
  await mustRun("git", ["init", "--quiet", "--initial-branch=main"], { cwd: folder });
  await commitAll(folder, "Rehearse");
  await raiseVersions(folder, snapshot);
  return { folder, packages: publishedPackages(folder) };
}

/** Raises the versions to a release, or to a snapshot of that name. */
export async function raiseVersions(folder: string, snapshot?: string): Promise<void> {
  const kind = snapshot === undefined ? [] : ["--snapshot", snapshot];
  await mustRun(join(root, "node_modules/.bin/changeset"), ["version", ...kind], { cwd: folder });
}

/** Commits what a release changes: the changesets, manifests and changelogs. */
export async function commitAll(folder: string, message: string): Promise<void> {
  const author = ["-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@platform.invalid"];
  await mustRun("git", ["add", "--all", ".changeset", "package.json", "packages/*/package.json"], { cwd: folder });
  if (globSync("packages/*/CHANGELOG.md", { cwd: folder }).length > 0)
    await mustRun("git", ["add", "packages/*/CHANGELOG.md"], { cwd: folder });
  await mustRun("git", [...author, "commit", "--quiet", "--no-gpg-sign", "-m", message], { cwd: folder });
}
