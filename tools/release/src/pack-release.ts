import { hash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { mustRun } from "./run.ts";
import { onlyVersionOf, publishedPackages, root, type WorkspacePackage } from "./workspace.ts";

export interface Tarball {
  readonly path: string;
  readonly name: string;
  readonly version: string;
}

/** What changesets writes: groups of packages, each after those that it depends on. */
interface PublishPlan {
  readonly plan: readonly (readonly {
    readonly name: string;
    readonly version: string;
    /** The path from the folder of the plan. */
    readonly tarball: { readonly path: string };
  }[])[];
}

/**
 * Packs the packages of a built workspace whose versions the registry does not have. Published in this order, no package requires a
 * version that the registry does not have, even if publishing stops halfway.
 */
export async function packRelease(
  workspace: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Tarball[]> {
  const folder = join(workspace, "dist/release");
  rmSync(folder, { recursive: true, force: true });
  const changeset = join(root, "node_modules/.bin/changeset");
  await mustRun(changeset, ["pack", "--out-dir", folder], { cwd: workspace, env });
  const { plan }: PublishPlan = JSON.parse(readFileSync(join(folder, "publish-plan.json"), "utf8"));
  return plan.flat().map(({ name, version, tarball }) => ({ name, version, path: join(folder, tarball.path) }));
}

/**
 * Returns the data about the tarballs that later jobs need, as outputs of a workflow step:
 *
 * - `version`: the version of all packages
 * - `packages`: a JSON list of their names, as in file names
 * - `sha256`: the input of `sha256sum --check`
 * - `tarballs`: for each one its file, the path of its version on a registry, and its integrity there, in the given order
 */
export function releaseOutputs(tarballs: readonly Tarball[]): string {
  const version = tarballs[0]?.version ?? "";
  const packages = tarballs.map(({ path }) => basename(path, `-${version}.tgz`));
  const sums = tarballs.map(({ path }) => `${hash("sha256", readFileSync(path))}  ${basename(path)}`);
  const lines = tarballs.map(({ path, name }) => {
    const integrity = `sha512-${hash("sha512", readFileSync(path), "base64")}`;
    return `${basename(path)} ${name.replace("/", "%2f")}/${version} ${integrity}`;
  });
  return [
    `version=${version}`,
    `packages=${JSON.stringify(packages)}`,
    "sha256<<END",
    ...sums,
    "END",
    "tarballs<<END",
    ...lines,
    "END",
    "",
  ].join("\n");
}

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

if (import.meta.main) {
  const packages = publishedPackages(root);
  const outputs = releaseOutputs(await packRelease(root));
  writeFileSync(join(root, "dist/release/notes.md"), changesOf(packages, onlyVersionOf(packages)));
  const { GITHUB_OUTPUT } = process.env;
  if (GITHUB_OUTPUT !== undefined) appendFileSync(GITHUB_OUTPUT, outputs);
  console.log(outputs);
}
