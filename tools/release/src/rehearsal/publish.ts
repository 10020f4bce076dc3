import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { packRelease, releaseOutputs, type Tarball } from "../pack-release.ts";
import { type Ended, run } from "../run.ts";
import { root } from "../workspace.ts";
import type { WorkspaceCopy } from "./workspace-copy.ts";

/** Packs every package of a workspace as the release workflow does: none is on the local registry yet. */
export function packAll({ folder }: WorkspaceCopy, registry: string): Promise<readonly Tarball[]> {
  return packRelease(folder, { npm_config_registry: registry, pnpm_config_registry: registry });
}

interface Workflow {
  readonly jobs: { readonly publish: { readonly steps: readonly { readonly run?: string }[] } };
}

/** Returns the script of the job `publish` in the release workflow. */
function publishScript(): string {
  const { jobs }: Workflow = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8"));
  return jobs.publish.steps.flatMap(({ run = [] }) => run).join("\n");
}

export interface Publishing {
  readonly registry: string;
  /** The tag that people install them by. */
  readonly tag: string;
  /** The network of the runner fails after this many packages. Default: it does not. */
  readonly failsAfter?: number;
}

/** Publishes tarballs with the script of the release workflow, as a runner executes it: `bash -e`, in a folder with the tarballs. */
export async function publishWithWorkflow(tarballs: readonly Tarball[], publishing: Publishing): Promise<Ended> {
  const { registry, tag, failsAfter } = publishing;
  const folder = mkdtempSync(join(dirname(tarballs[0]?.path ?? root), "run-"));
  for (const { path } of tarballs) copyFileSync(path, join(folder, basename(path)));
  const programs = join(folder, "programs");
  if (failsAfter !== undefined) failingNpm(programs, failsAfter);
  const { sha256, tarballs: lines } = outputsOf(tarballs);
  const { PATH = "" } = process.env;
  return run("bash", ["-e", "-c", publishScript()], {
    cwd: folder,
    env: {
      ...publisher(registry, folder),
      // Only GitHub can sign the provenance.
      NPM_CONFIG_PROVENANCE: "false",
      PATH: `${programs}:${PATH}`,
      REGISTRY: registry,
      SHA256: sha256,
      TARBALLS: lines,
      TAG: tag,
    },
  });
}

/** Publishes tarballs as {@link publishWithWorkflow} does. @throws Error with its output when it fails */
export async function publishAll(tarballs: readonly Tarball[], registry: string, tag: string): Promise<void> {
  const { ok, output } = await publishWithWorkflow(tarballs, { registry, tag });
  if (!ok) throw new Error(`The job publish of the release workflow, with the tag ${tag}:\n${output}`);
}

/** Publishes one tarball that may be on the registry already: the script of the workflow would skip it. */
export function publishAgain({ path }: Tarball, registry: string): Promise<Ended> {
  const cwd = dirname(path);
  const args = ["publish", path, "--access", "public", "--tag", "latest"];
  return run("npm", args, { cwd, env: publisher(registry, cwd) });
}

/** Returns the environment in which `npm` may publish. The registry accepts any token. @param folder where its settings are written */
export function publisher(registry: string, folder: string): Readonly<Record<string, string>> {
  const settings = join(folder, "publisher.npmrc");
  writeFileSync(settings, `registry=${registry}\n//${new URL(registry).host}/:_authToken=rehearsal\n`);
  return { NPM_CONFIG_REGISTRY: registry, NPM_CONFIG_USERCONFIG: settings };
}

/** Puts an `npm` before the others that fails after some calls. */
function failingNpm(folder: string, calls: number): void {
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh
echo call >> "${folder}/calls"
[ "$(wc -l < "${folder}/calls")" -gt ${calls} ] && { echo "The network failed." >&2; exit 1; }
PATH=\${PATH#"${folder}:"} exec npm "$@"
`;
  writeFileSync(join(folder, "npm"), script, { mode: 0o755 });
}

/** Returns the outputs of the step that packs, as the next job gets them. */
function outputsOf(tarballs: readonly Tarball[]): { readonly sha256: string; readonly tarballs: string } {
  const block = (name: string) =>
    new RegExp(`^${name}<<END\\n(.*?)\\nEND$`, "ms").exec(releaseOutputs(tarballs))?.[1] ?? "";
  return { sha256: block("sha256"), tarballs: block("tarballs") };
}
