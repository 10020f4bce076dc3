import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../run.ts";
import { publishedPackages, root } from "../workspace.ts";
import type { Trial } from "./consumer-project.ts";
import { type Consumer, client } from "./consumers.ts";
import { type PlatformApp, serveApp } from "./platform-app.ts";
import { packAll, publishAll } from "./publish.ts";
import type { WorkspaceCopy } from "./workspace-copy.ts";

/** Returns the newest release tag in the history; undefined before the first. @throws Error in a shallow clone, which may lack it. */
export async function latestReleaseTag(): Promise<string | undefined> {
  const git = (...args: readonly string[]) => mustRun("git", args, { cwd: root });
  if ((await git("rev-parse", "--is-shallow-repository")) === "true")
    throw new Error(
      "This clone is shallow, so the earlier release cannot be found. Run `git fetch --unshallow --tags`, or check out with fetch-depth: 0.",
    );
  const tags = await git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname");
  return tags.split("\n").find((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
}

/** Builds an earlier release, publishes it under the tag `previous`, and pairs each release's client with the other's server. */
export async function prepareCompatibility(
  revision: string,
  today: PlatformApp,
  registry: string,
  folder: string,
): Promise<{ readonly previousApp: PlatformApp; readonly trials: readonly Trial[] }> {
  const previous = await buildRevision(revision, join(folder, "previous"));
  await publishAll(await packAll(previous, registry), registry, "previous");
  const previousApp = serveApp(previous.folder, join(folder, "previous-data"));
  const previousClient: Consumer = { ...client, name: `client of ${revision}, today's server`, tag: "previous" };
  const todaysClient: Consumer = { ...client, name: `today's client, server of ${revision}` };
  return {
    previousApp,
    trials: [
      { consumer: previousClient, app: today, workspace: previous.folder },
      { consumer: todaysClient, app: previousApp, workspace: root },
    ],
  };
}

async function buildRevision(revision: string, folder: string): Promise<WorkspaceCopy> {
  mkdirSync(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await mustRun("git", ["archive", `--output=${archive}`, revision], { cwd: root });
  await mustRun("tar", ["-xf", archive, "-C", folder], { cwd: folder });
  const packages = publishedPackages(folder);
  // Consumers look for the changelog, which a commit before the first release does not have.
  const changelogs = packages.map((one) => join(one.folder, "CHANGELOG.md")).filter((file) => !existsSync(file));
  for (const file of changelogs) writeFileSync(file, "# Changes\n");
  await mustRun("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: folder });
  await mustRun("pnpm", ["--silent", "build"], { cwd: folder });
  return { folder, packages };
}
