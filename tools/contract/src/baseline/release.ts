import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Finding, failure, startOf, unjudged } from "../model/finding.ts";
import { publishedImage } from "../model/read-image.ts";
import { areSame, type Release, readRelease, releasedFolder, releaseFile, unusable, writeRelease } from "./baseline.ts";
import { type Current, type Differences, differencesFrom, findingsOf, stepOf } from "./breaking.ts";
import { changesetsAt, highest, misaddressed, readChangesets, type Step, steps } from "./changesets.ts";
import { type Base, GitError, type History } from "./history.ts";
import { publishedPackages } from "./package-apis.ts";

/** Compares the workspace with the newest release before the change, and checks what the change records in `released/`. */
export async function checkBreaking(current: Current, history: History): Promise<readonly Finding[]> {
  const { baseline, findings, ...chosen } = await chooseBaseline(current, history);
  if (baseline === undefined) return findings;
  const differences = chosen.differences ?? (await differencesFrom(baseline, current));
  const changesets = readChangesets(current.root);
  const unknown = misaddressed(changesets, Object.keys(current.apis));
  return [...findings, ...findingsOf(differences, changesets), ...unknown];
}

/** The release to compare with, unless there is nothing left to compare, and what was found. */
interface Choice {
  readonly baseline: Release | undefined;
  /** From that release. Default: not known yet. */
  readonly differences?: Differences | undefined;
  readonly findings: readonly Finding[];
}

async function chooseBaseline(current: Current, history: History): Promise<Choice> {
  const recorded = await recordedIn(current.root);
  if (history.base === undefined) {
    const found = missingHistory(history);
    if (history.why === "missing") return { baseline: undefined, findings: found };
    if ("fault" in recorded) return { baseline: undefined, findings: [...found, unusable(recorded.fault)] };
    return { baseline: recorded, findings: [...found, ...unequalVersions(current.root, recorded.version)] };
  }
  const before = await releasesBefore(history.base, history.isShallow);
  if ("fault" in before) return { baseline: undefined, findings: [before.fault] };
  const { newest, merged, base } = before;
  if ("fault" in recorded)
    return { baseline: newest, findings: [newest ? changedAlone(before) : unusable(recorded.fault)] };
  const findings = unequalVersions(current.root, recorded.version);
  const isDraft = recorded.version === undefined && newest?.version === undefined;
  if (isDraft || areSame(recorded, merged)) return { baseline: recorded, findings };
  const next = await contentOfNext(newest, current, base);
  const fault = faultOf(recorded, before, current, next.step);
  if (fault !== undefined) return { baseline: newest, differences: next.differences, findings: [fault] };
  return { baseline: undefined, findings: [...findings, ...next.findings] };
}

async function recordedIn(root: string): Promise<Release | { readonly fault: unknown }> {
  return readRelease((file) => readFile(join(root, file))).catch((fault: unknown) => ({ fault }));
}

interface Before {
  readonly base: Base;
  /** What the newest release tag has recorded; without a tag, what the commit has that the change starts from. Undefined: nothing. */
  readonly newest: Release | undefined;
  /** The same, or the release after it, which is merged, and has no tag until it is published. */
  readonly merged: Release | undefined;
}

async function releasesBefore(base: Base, isShallow: boolean): Promise<Before | { readonly fault: Finding }> {
  try {
    if (base.tag === undefined) {
      const newest = await recordedAt(base, base.commit);
      const isCutOff = isShallow && newest?.version !== undefined;
      return isCutOff ? { fault: missingTag(newest.version, base) } : { base, newest, merged: newest };
    }
    const newest = await recordedAt(base, `refs/tags/${base.tag}`);
    if (`v${newest?.version}` !== base.tag) return { fault: wrongTag(base.tag, newest?.version, base) };
    // If main is damaged, the newest tag is still right, and a change can restore its files.
    const atBase = await recordedAt(base, base.commit).catch(() => undefined);
    const follows = steps.some((step) => fits(newest?.version, atBase?.version ?? "", step));
    return { base, newest, merged: follows ? atBase : newest };
  } catch (error) {
    if (error instanceof GitError) throw error;
    return { fault: unusable(error, ` at ${base.tag ?? base.commit.slice(0, 10)}`) };
  }
}

/** Returns what a revision has recorded. Undefined: nothing. @throws Error when it cannot be read. */
async function recordedAt(base: Base, revision: string): Promise<Release | undefined> {
  if ((await base.read(revision, releaseFile)) === undefined) return undefined;
  return readRelease(async (file) => {
    const bytes = await base.read(revision, file);
    if (bytes === undefined) throw new Error(`${file} is missing`);
    return bytes;
  });
}

/** Returns what is wrong with a recorded release that is not the newest one: it must be a new one of exactly this workspace. */
function faultOf(
  { version, image, apis }: Release,
  before: Before,
  current: Current,
  step: Step | "never",
): Finding | undefined {
  const { newest, merged } = before;
  if (version === undefined || version === newest?.version || version === merged?.version) return changedAlone(before);
  const hasImage = Buffer.compare(image, publishedImage(current.contract.image)) === 0;
  if (!hasImage || !isDeepStrictEqual(apis, current.apis)) return recordsOther(version);
  return fits(newest?.version, version, step) ? undefined : wrongVersion(newest?.version, version, step);
}

/**
 * Returns what the next release contains, and the step to its version: that of the changes, or of the changesets that it consumes. These are
 * from before it: one that a release adds itself accounts for nothing.
 */
async function contentOfNext(newest: Release | undefined, current: Current, base: Base | undefined) {
  const changesets = base === undefined ? [] : await changesetsAt(base);
  const names = Object.keys(current.apis);
  const bumps = changesets.flatMap((changeset) => names.flatMap((name) => changeset.bumps.get(name) ?? []));
  // A draft promises nothing.
  if (newest?.version === undefined) return { step: highest(["minor", ...bumps]), findings: [] };
  const differences = await differencesFrom(newest, current);
  const found = stepOf(differences);
  return {
    step: found === "never" ? found : highest([found, ...bumps]),
    findings: findingsOf(differences, changesets),
    differences,
  };
}

/**
 * Makes the workspace the released one, with the version of its packages. Rejects what no version may contain, a version that does not match
 * the changes, and in a git repository an addition that no consumed changeset names. With `first`, it records a draft without comparing, if
 * nothing was released yet.
 */
export async function release(current: Current, history: History, first: boolean): Promise<readonly Finding[]> {
  const { root, apis } = current;
  const recorded = await recordedIn(root);
  if (history.base === undefined && history.why === "missing") return missingHistory(history);
  const before = history.base && (await releasesBefore(history.base, history.isShallow));
  if (before !== undefined && "fault" in before) return [before.fault];
  const inTree = "fault" in recorded ? undefined : recorded;
  const newest = before === undefined ? inTree : before.newest;
  if (first) {
    const version = newest?.version ?? inTree?.version;
    if (version !== undefined) return [existsAlready(version)];
    // Before the first release there is no API to compare with.
    record(current, { version: undefined, apis: {} });
    return [];
  }
  if (newest === undefined) return [unusable("fault" in recorded ? recorded.fault : "nothing was recorded")];
  const [version = "0.0.0"] = publishedPackages(root).map(({ manifest }) => manifest.version);
  const unequal = unequalVersions(root, version);
  if (unequal.length > 0) return unequal;
  const { step, findings } = await contentOfNext(newest, current, before?.base);
  const isNever = ({ change, rule }: Finding) => change === "breaking" && rule !== "api-breaking";
  if (step === "never") return findings.filter(isNever);
  if (!fits(newest.version, version, step)) return [wrongVersion(newest.version, version, step)];
  const unnamed = before === undefined ? [] : findings.filter(({ verdict }) => verdict === "fails");
  if (unnamed.length === 0) record(current, { version, apis });
  return unnamed;
}

export function record({ root, contract }: Current, recorded: Pick<Release, "version" | "apis">): void {
  writeRelease(root, { ...recorded, image: publishedImage(contract.image) });
}

/** Reports whether a version is exactly one step above the released one. The first release is 0.1.0 or 1.0.0. */
function fits(released: string | undefined, version: string, step: Step | "never"): boolean {
  if (step === "never") return false;
  if (released === undefined) return version === "0.1.0" || version === "1.0.0";
  const [major = 0, minor = 0, patch = 0] = released.split(".").map(Number);
  const next = {
    patch: `${major}.${minor}.${patch + 1}`,
    minor: `${major}.${minor + 1}.0`,
    major: `${major + 1}.0.0`,
  };
  return version === next[step];
}

function existsAlready(version: string): Finding {
  const message =
    `${version} is released: \`--first\` would record today's contract without comparing it.\n` +
    "Fix: run `pnpm contract release` without `--first`.";
  return failure("release-first", startOf(releaseFile), message);
}

/** All packages have the version that is recorded: it is published with the next release. A draft has none. */
function unequalVersions(root: string, version = "0.0.0"): readonly Finding[] {
  const others = publishedPackages(root).filter(({ manifest }) => manifest.version !== version);
  return others.map(({ folder, manifest }) => {
    const message =
      `${manifest.name} has the version ${manifest.version}, and ${version} is recorded: all packages are released together.\n` +
      `Fix: write "version": "${version}". To release a version, run \`pnpm release:version\`.`;
    return failure("release-version", startOf(`${folder}/package.json`), message);
  });
}

function wrongVersion(released: string | undefined, version: string, step: Step | "never"): Finding {
  const after = released === undefined ? "nothing is released" : `${released} is released`;
  const wanted =
    step === "never"
      ? "no version may contain a breaking change of the contract, or a changed migration"
      : released === undefined
        ? "the first version is 0.1.0 or 1.0.0"
        : `the changes and their changesets require the next ${step} version`;
  const message =
    `The version is ${version}, and ${after}: ${wanted}.\n` +
    "Fix: run `pnpm release:version` with changesets that name the changes. It raises the versions and records the release.";
  return failure("release-version", startOf(releaseFile), message);
}

function changedAlone({ base, newest, merged }: Before): Finding {
  const revision = newest === merged && base.tag !== undefined ? base.tag : base.commit.slice(0, 10);
  const message =
    `${releasedFolder} differs from ${revision}, where ${merged?.version ?? "nothing"} is released, but the change releases no new version.\n` +
    `Fix: git checkout ${revision} -- ${releasedFolder}, or release with \`pnpm release:version\`. ` +
    `If a newer release has a tag: git fetch --tags ${base.remote}.`;
  return failure("released-changed", startOf(releaseFile), message);
}

function recordsOther(version: string): Finding {
  const message =
    `${releasedFolder} says that ${version} is released, but it records another contract, or other APIs, than this change has.\n` +
    "Fix: run `pnpm contract release`, and change nothing after it.";
  return failure("released-changed", startOf(releaseFile), message);
}

function wrongTag(tag: string, version: string | undefined, { remote }: Base): Finding {
  const message =
    `The tag ${tag} is at a commit that has ${version ?? "no version"} in ${releaseFile}. Nothing was compared, because it is not the release it claims to be.\n` +
    `Fix: git fetch --tags --force ${remote}. If the tag is wrong there, too, its owner must delete it.`;
  return unjudged("release-tag", releaseFile, message);
}

function missingTag(version: string, { remote }: Base): Finding {
  const message =
    `${version} is released, and this shallow clone has no tag v${version}. Nothing was compared.\n` +
    `Fix: git fetch --tags --unshallow ${remote}`;
  return unjudged("release-tag", releaseFile, message);
}

function missingHistory(history: Exclude<History, { readonly base: Base }>): readonly Finding[] {
  if (history.why === "first") return [];
  if (history.why === "missing") {
    const message = `The commit that the change starts from was not fetched. Nothing was compared.\nFix: ${history.fetch}`;
    return [unjudged("merge-base", releaseFile, message)];
  }
  const message = `This is not a git repository: ${releasedFolder} was not compared with the newest release.`;
  const finding = unjudged("merge-base", releaseFile, message);
  return [history.isPullRequest ? finding : { ...finding, verdict: "noted" }];
}
