import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../run.ts";
import { publishedPackages } from "../workspace.ts";
import type { WorkspaceCopy } from "./workspace-copy.ts";

/**
 * Returns the tag of the newest release that the current commit contains, or undefined before the first one.
 *
 * @throws Error in a shallow clone, whose missing tags must not count as "no earlier release".
 */
export async function latestReleaseTag(repository: string): Promise<string | undefined> {
  const git = (...args: readonly string[]) => mustRun("git", args, { cwd: repository });
  if ((await git("rev-parse", "--is-shallow-repository")) === "true")
    throw new Error(
      "This clone is shallow, so the earlier release cannot be found. Run `git fetch --unshallow --tags`, or check out with fetch-depth: 0.",
    );
  const tags = await git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname");
  return tags.split("\n").find((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
}

/** Installs and builds a commit of the repository in a separate folder. */
export async function buildRevision(repository: string, revision: string, folder: string): Promise<WorkspaceCopy> {
  mkdirSync(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await mustRun("git", ["archive", `--output=${archive}`, revision], { cwd: repository });
  await mustRun("tar", ["-xf", archive, "-C", folder], { cwd: folder });
  const packages = publishedPackages(folder);
  // Consumers look for the changelog, which a commit before the first release does not have.
  const changelogs = packages.map((one) => join(one.folder, "CHANGELOG.md")).filter((file) => !existsSync(file));
  for (const file of changelogs) writeFileSync(file, "# Changes\n");
  await mustRun("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: folder });
  await mustRun("pnpm", ["--silent", "build"], { cwd: folder });
  return { folder, packages };
}
