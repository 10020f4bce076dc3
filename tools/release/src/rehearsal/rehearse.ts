import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Tarball } from "../pack-release.ts";
import { endRunning } from "../run.ts";
import { onlyVersionOf, root } from "../workspace.ts";
import { type ConsumerResult, runConsumer, type Trial } from "./consumer-project.ts";
import { type Consumer, consumers } from "./consumers.ts";
import { rehearseLifecycle } from "./lifecycle.ts";
import { type PlatformApp, serveApp } from "./platform-app.ts";
import { latestReleaseTag, prepareCompatibility } from "./previous-release.ts";
import { packAll, publishAgain, publishAll, publishWithWorkflow } from "./publish.ts";
import { type Registry, startRegistry } from "./registry.ts";
import { copyWorkspace, type WorkspaceCopy } from "./workspace-copy.ts";

/** `--previous <commit>` uses that commit as the earlier release. Default: the tag of the last release. */
const { values } = parseArgs({ options: { previous: { type: "string" } } });

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), "rehearsal-"));
const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
/** Cleanup steps, run in reverse order. */
const undo: (() => Promise<void>)[] = [async () => remove()];

async function end(): Promise<void> {
  await endRunning();
  for (const step of undo.splice(0).reverse()) await step();
}

async function interrupted(): Promise<void> {
  await end();
  // A process that was just starting is killed at exit, and may write files until then.
  process.once("exit", remove);
  process.exit(1);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);

try {
  await rehearse();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await end();
}
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`\nThe release was rehearsed in ${seconds} s: ${process.exitCode === 1 ? "FAILED" : "passed"}`);

async function rehearse(): Promise<void> {
  const registry = await startRegistry(join(folder, "registry"));
  undo.push(() => registry.stop());
  const app = serveApp(root, join(folder, "data"));
  undo.push(() => app.stop());
  const [release, canary] = await Promise.all([
    copyWorkspace(join(folder, "release")),
    copyWorkspace(join(folder, "canary"), "canary"),
  ]);
  const compatibility = await compatibilityWith(app, registry);
  const tarballs = await packAll(release, registry.url);
  await publishInTwoRuns(tarballs, registry);
  await publishAll(await packAll(canary, registry.url), registry.url, "canary");
  await checkTags(registry, release, canary);
  await checkRepublishing(registry, tarballs);

  const waiting = [...consumers.map((consumer) => ({ consumer, app, workspace: root })), ...compatibility].entries();
  const lanes = [1, 2, 3].map(async () => {
    const failures: string[] = [];
    for (const [index, trial] of waiting) {
      const result = runConsumer(trial, join(folder, `consumer-${index}`), registry.url);
      failures.push(...(await result.then(passed, (error: unknown) => failed(trial.consumer, error))));
    }
    return failures;
  });
  const failures = (await Promise.all(lanes)).flat();
  if (failures.length > 0) throw new Error(failures.join("\n\n"));
  row("after a release", await rehearseLifecycle(release, registry));
}

/** Publishes the release as the workflow does, in a run that fails halfway, and in its repetition. */
async function publishInTwoRuns(tarballs: readonly Tarball[], registry: Registry): Promise<void> {
  const half = Math.floor(tarballs.length / 2);
  const failing = await publishWithWorkflow(tarballs, { registry: registry.url, tag: "latest", failsAfter: half });
  if (failing.ok || !failing.output.includes("The network failed."))
    throw new Error(`The first run was to fail after ${half} packages:\n${failing.output}`);
  await publishAll(tarballs, registry.url, "latest");
  row("repeated run", `failed after ${half} of ${tarballs.length} packages, then published the rest`);
}

/** Prepares the trials of an earlier release with today's packages; none before the first release. */
async function compatibilityWith(app: PlatformApp, registry: Registry): Promise<readonly Trial[]> {
  const revision = values.previous ?? (await latestReleaseTag());
  row("earlier release", revision ?? "no earlier release: nothing to compare with");
  if (revision === undefined) return [];
  const { previousApp, trials } = await prepareCompatibility(revision, app, registry.url, folder);
  undo.push(() => previousApp.stop());
  return trials;
}

/** Checks that an install without a tag gets the release, not the canary. */
async function checkTags(registry: Registry, release: WorkspaceCopy, canary: WorkspaceCopy): Promise<void> {
  const wanted = { latest: onlyVersionOf(release.packages), canary: onlyVersionOf(canary.packages) };
  for (const { manifest } of release.packages) {
    const { latest, canary } = (await registry.packageOf(manifest.name))["dist-tags"];
    if (latest !== wanted.latest || canary !== wanted.canary)
      throw new Error(`${manifest.name} has the wrong tags: latest ${latest}, canary ${canary}.`);
  }
  row("tags", `latest ${wanted.latest}, canary ${wanted.canary}`);
}

async function checkRepublishing(registry: Registry, tarballs: readonly Tarball[]): Promise<void> {
  for (const tarball of tarballs) {
    const { ok, output } = await publishAgain(tarball, registry.url);
    if (ok || !/409|already present|previously published/i.test(output)) {
      throw new Error(`${tarball.path} was not rejected when published a second time:\n${output}`);
    }
  }
  row("same version again", "rejected");
}

function passed({ consumer, versions, seconds }: ConsumerResult): readonly string[] {
  const { name, manager, typescript, resolution, runs } = consumer;
  row(
    name,
    `${manager}, TypeScript ${typescript} ${resolution}, ${runs}; ${versions.join(", ")} (${seconds.toFixed(1)} s)`,
  );
  return [];
}

function failed({ name }: Consumer, error: unknown): readonly string[] {
  row(name, "FAILED");
  return [`──── ${name} ────\n${error instanceof Error ? error.message : error}`];
}

function row(subject: string, result: string): void {
  console.log(`${subject.padEnd(32)}${result}`);
}
