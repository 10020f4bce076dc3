import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Proof, prove } from "./rehearsal/consumer-project.ts";
import { type Consumer, consumers } from "./rehearsal/consumers.ts";
import { startReferenceApp } from "./rehearsal/reference-app.ts";
import { type Registry, startRegistry } from "./rehearsal/registry.ts";
import { copyWorkspace, publish, publisher, versionOf, type WorkspaceCopy } from "./rehearsal/workspace-copy.ts";
import { endRunning, run } from "./run.ts";

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), "rehearsal-"));
const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
/** What is to be ended and removed, the last begun first. */
const undo: (() => Promise<void>)[] = [async () => remove()];

async function end(): Promise<void> {
  await endRunning();
  for (const step of undo.splice(0).reverse()) await step();
}

async function interrupted(): Promise<void> {
  await end();
  // What was just being started is killed at exit, and may have written until then.
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
  const [app, release, canary] = await Promise.all([
    startReferenceApp(join(folder, "data")).then((app) => {
      undo.push(() => app.stop());
      return app;
    }),
    copyWorkspace(join(folder, "release")),
    copyWorkspace(join(folder, "canary"), "canary"),
  ]);
  await publish(release, registry.url);
  await publish(canary, registry.url, "canary");
  await tagsStand(registry, release, canary);
  await refusesTheSameVersion(registry, release);

  const waiting = [...consumers.entries()];
  const lanes = [1, 2, 3].map(async () => {
    const failures: string[] = [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, consumer] = next;
      const proof = prove(consumer, join(folder, `consumer-${index}`), registry.url, await app.scene());
      failures.push(...(await proof.then(told, (error: unknown) => failed(consumer, error))));
    }
    return failures;
  });
  const failures = (await Promise.all(lanes)).flat();
  if (failures.length > 0) throw new Error(failures.join("\n\n"));
}

/** A canary is had by asking for it: whoever asks for nothing gets the release. */
async function tagsStand(registry: Registry, release: WorkspaceCopy, canary: WorkspaceCopy): Promise<void> {
  const wanted = { latest: versionOf(release), canary: versionOf(canary) };
  for (const { manifest } of release.packages) {
    const { latest, canary } = await registry.tagsOf(manifest.name);
    if (latest !== wanted.latest || canary !== wanted.canary)
      throw new Error(`${manifest.name} is ${latest}, ${canary}.`);
  }
  row("tags", `latest ${wanted.latest}, canary ${wanted.canary}`);
}

/** What is published is never replaced. */
async function refusesTheSameVersion(registry: Registry, release: WorkspaceCopy): Promise<void> {
  for (const { folder, manifest } of release.packages) {
    const args = ["publish", "--force", "--no-git-checks"];
    const { ok, output } = await run("pnpm", args, { cwd: folder, env: publisher(registry.url) });
    if (ok || !/409|already present|previously published/i.test(output)) {
      throw new Error(`${manifest.name} was not refused as published already:\n${output}`);
    }
  }
  row("same version again", "refused");
}

function told({ consumer, versions, seconds }: Proof): readonly string[] {
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

function row(what: string, proof: string): void {
  console.log(`${what.padEnd(32)}${proof}`);
}
