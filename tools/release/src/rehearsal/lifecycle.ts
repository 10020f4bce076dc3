import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../run.ts";
import { onlyVersionOf, publishedPackages, root } from "../workspace.ts";
import { packAll, publishAll, publisher } from "./publish.ts";
import type { Registry } from "./registry.ts";
import { commitAll, raiseVersions, type WorkspaceCopy } from "./workspace-copy.ts";

const page = readFileSync(join(root, "docs/versioning.md"), "utf8");

/** Returns the commands that docs/versioning.md shows under a heading. @throws Error when it shows none */
function commandsUnder(heading: string): string {
  const [, section = ""] = page.split(`\n### ${heading}\n`);
  const [, commands] = /^```sh\n(.*?)^```$/ms.exec(section.split(/^##/m)[0] ?? "") ?? [];
  if (commands === undefined) throw new Error(`docs/versioning.md shows no commands under "${heading}".`);
  return commands;
}

/**
 * Carries out what docs/versioning.md says about a release after it was published: backports a fix to it, deprecates it, and withdraws it.
 * Afterwards, nothing on the registry has the tags of before.
 *
 * @param release the workspace of the release, whose packages have the tag `latest`
 */
export async function rehearseLifecycle(release: WorkspaceCopy, registry: Registry): Promise<string> {
  const version = onlyVersionOf(release.packages);
  const fixed = await backport(release, version, registry);
  const environment = { ...publisher(registry.url, release.folder), VERSION: version, NEXT: fixed };
  const bash = (heading: string, env: Readonly<Record<string, string>>) =>
    mustRun("bash", ["-e", "-c", commandsUnder(heading)], { cwd: release.folder, env });

  await bash("Deprecate a release", environment);
  await check("a deprecated release", registry, (found) => {
    const { deprecated } = found.versions[version] ?? {};
    return found.latest === version && deprecated?.includes(`Upgrade to ${fixed}`) === true;
  });
  await bash("Withdraw a bad release", environment);
  await check("a withdrawn release", registry, (found) => {
    const { deprecated } = found.versions[version] ?? {};
    return found.latest === fixed && deprecated?.startsWith(`Do not use ${version}.`) === true;
  });
  return `${version} deprecated and withdrawn, ${fixed} backported with the tag ${tagOf(version)}`;
}

/** Carries out the commands in the workspace of a release, with a remote of its own, and publishes. Returns the version of the fix. */
async function backport(release: WorkspaceCopy, version: string, registry: Registry): Promise<string> {
  const { folder } = release;
  const git = (...args: readonly string[]) => mustRun("git", args, { cwd: folder });
  await commitAll(folder, `Release ${version}`);
  await git("tag", `v${version}`);
  await git("init", "--quiet", "--bare", join(folder, "origin.git"));
  await git("remote", "add", "origin", join(folder, "origin.git"));
  await git("push", "--quiet", "origin", "main", "--tags");
  const raised = release.packages.map(({ manifest }) => `"${manifest.name}": patch`).join("\n");
  writeFileSync(join(folder, ".changeset/a-fix.md"), `---\n${raised}\n---\n\nFixes what was rehearsed.\n`);
  await commitAll(folder, "Fix what was rehearsed");
  const env = {
    MINOR: minorOf(version),
    VERSION: version,
    FIX: (await git("rev-parse", "HEAD")).trim(),
    // As on the machine of the person who does it.
    GIT_COMMITTER_NAME: "Rehearsal",
    GIT_COMMITTER_EMAIL: "rehearsal@platform.invalid",
  };
  await mustRun("bash", ["-e", "-c", commandsUnder("Backport a fix")], { cwd: folder, env });
  await raiseVersions(folder);
  const branch = { folder, packages: publishedPackages(folder) };
  const fixed = onlyVersionOf(branch.packages);
  await publishAll(await packAll(branch, registry.url), registry.url, tagOf(version));
  await check("a backport", registry, (found) => found.tags[tagOf(version)] === fixed && found.latest === version);
  return fixed;
}

/** Returns the tag that the workflow publishes a branch of backports with. */
function tagOf(version: string): string {
  return `release-${minorOf(version)}`;
}

function minorOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

interface Found {
  readonly latest: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, { readonly deprecated?: string }>>;
}

/** Checks every package on the registry. @throws Error that names the first wrong one */
async function check(what: string, registry: Registry, isRight: (found: Found) => boolean): Promise<void> {
  for (const { manifest } of publishedPackages(root)) {
    const { "dist-tags": tags, versions } = await registry.packageOf(manifest.name);
    const { latest } = tags;
    const found = { latest, tags, versions };
    if (isRight(found)) continue;
    const states = Object.entries(versions).map(([version, { deprecated = "" }]) => `${version} ${deprecated}`);
    throw new Error(`${manifest.name} is not ${what}: tags ${JSON.stringify(tags)}, versions ${states.join("; ")}`);
  }
}
