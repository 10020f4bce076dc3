import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { mustRun } from "../run.ts";
import { publishedPackages, root, type WorkspacePackage } from "../workspace.ts";

/** The workspace as built, in a folder of its own, at the versions that a release would give it. */
export interface WorkspaceCopy {
  readonly folder: string;
  readonly packages: readonly WorkspacePackage[];
}

const skipped = new Set(["node_modules", ".git", ".turbo", "coverage"]);
const parts = ["package.json", "pnpm-workspace.yaml", "LICENSE", ".changeset", "packages", "apps", "tools"];

/**
 * Copies the workspace and lets changesets raise the versions: to a release, or to a snapshot of that name. The
 * workspace itself is only read.
 */
export async function copyWorkspace(folder: string, snapshot?: string): Promise<WorkspaceCopy> {
  mkdirSync(folder, { recursive: true });
  for (const part of parts) {
    cpSync(join(root, part), join(folder, part), {
      recursive: true,
      filter: (source) => !skipped.has(basename(source)),
    });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, ".changeset/rehearsal.md"), changeset());
  // changesets asks git for the commit of each change.
  const author = ["-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@platform.invalid"];
  await mustRun("git", ["init", "--quiet", "--initial-branch=main"], { cwd: folder });
  await mustRun("git", ["add", ".changeset"], { cwd: folder });
  await mustRun("git", [...author, "commit", "--quiet", "--no-gpg-sign", "-m", "Rehearse"], { cwd: folder });
  const kind = snapshot === undefined ? [] : ["--snapshot", snapshot];
  await mustRun(join(root, "node_modules/.bin/changeset"), ["version", ...kind], { cwd: folder });
  return { folder, packages: publishedPackages(folder) };
}

/** There is something to release, also when everything has been. */
function changeset(): string {
  const raised = publishedPackages(root).map(({ manifest }) => `"${manifest.name}": patch`);
  return `---\n${raised.join("\n")}\n---\n\nRehearsed.\n`;
}

/** Publishes every package of a copy, as a release does. Without a tag: as latest. */
export async function publish({ folder }: WorkspaceCopy, registry: string, tag?: string): Promise<string> {
  const tagged = tag === undefined ? [] : ["--tag", tag];
  return mustRun("pnpm", ["publish", "-r", "--no-git-checks", ...tagged], { cwd: folder, env: publisher(registry) });
}

/** The environment of whoever publishes. The registry takes any token. */
export function publisher(registry: string): Readonly<Record<string, string>> {
  return {
    npm_config_registry: registry,
    pnpm_config_registry: registry,
    [`npm_config_//${new URL(registry).host}/:_authToken`]: "rehearsal",
    pnpm_config_verify_deps_before_run: "false",
  };
}

/** The version that every package of the copy has. They are released together. */
export function versionOf({ packages }: WorkspaceCopy): string {
  const [version, ...others] = new Set(packages.map(({ manifest }) => manifest.version));
  if (version === undefined || others.length > 0) throw new Error("The packages are not of one version.");
  return version;
}
