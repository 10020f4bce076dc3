import { readFileSync } from "node:fs";
import { join } from "node:path";
import { asJson, bufFindings, startBuf } from "../buf/buf.ts";
import { changeRules } from "../compare/change-rules.ts";
import type { Contract } from "../model/contract.ts";
import { type Finding, failure, startOf } from "../model/finding.ts";
import { foldersOf, readBaseline, readReleasedVersion, releaseFile, unusable, writeBaseline } from "./baseline.ts";
import { breaking, contractChanges } from "./breaking.ts";
import type { Level } from "./changesets.ts";
import { compareApis } from "./compare-apis.ts";
import { readPackageApis } from "./package-apis.ts";

const manifestFile = "packages/types/package.json";

interface ReleaseOptions {
  /** Records today's contract as the draft, without comparing. Only when nothing was released yet. */
  readonly first: boolean;
}

/**
 * Makes today's contract the released one, with the version of @platform-rpc/types. Rejects breaking changes, and a version
 * that does not match the changes. Additions need no changeset, because `changeset version` has already consumed it.
 */
export async function release(
  root: string,
  contract: Contract,
  { first }: ReleaseOptions,
  today: string,
): Promise<readonly Finding[]> {
  if (first) return recordDraft(root, contract);
  const baseline = readBaseline(root);
  if ("faults" in baseline) return baseline.faults;
  const broken = (await breaking(root, Promise.resolve(contract), today)).filter(
    ({ change, rule }) => change === undefined || (change === "breaking" && !rule.startsWith("api-")),
  );
  if (broken.length > 0) return broken;
  const apis = readPackageApis(root);
  const version: unknown = JSON.parse(readFileSync(join(root, manifestFile), "utf8")).version;
  const changes = contractChanges(baseline, contract, today).map(({ rule }) => changeRules[rule].kind);
  const levels = compareApis(baseline.apis, apis).map(({ level }) => level);
  const step: Level = levels.includes("major")
    ? "major"
    : levels.length > 0 || changes.includes("additive")
      ? "minor"
      : "patch";
  if (typeof version !== "string" || !fits(baseline.version, version, step)) {
    return [wrongVersion(baseline.version, String(version), step)];
  }
  return write(root, contract, { version, apis });
}

async function recordDraft(root: string, contract: Contract): Promise<readonly Finding[]> {
  try {
    const version = readReleasedVersion(root);
    if (version !== undefined) return [existsAlready(version)];
  } catch (error) {
    return [unusable(error)];
  }
  // Before the first release there is no TypeScript API to compare with.
  return write(root, contract, { version: undefined, apis: {} });
}

async function write(root: string, contract: Contract, baseline: Parameters<typeof writeBaseline>[1]) {
  const paths = foldersOf(contract).flatMap((path) => ["--path", path]);
  const image = await startBuf(root, ["build", ...paths, "-o", "-#format=binpb", ...asJson]);
  if (!image.ok) return bufFindings(image);
  writeBaseline(root, baseline, image.output);
  return [];
}

function existsAlready(version: string): Finding {
  const message =
    `${version} is released: \`--first\` would record today's contract without comparing it.\n` +
    "Fix: run `pnpm contract release` without `--first`.";
  return failure("release-first", startOf(releaseFile), message);
}

function wrongVersion(released: string | undefined, version: string, step: Level): Finding {
  const message =
    `@platform-rpc/types has the version ${version}, and ${released ?? "nothing"} is released: the changes require a ${step} version or a higher one.\n` +
    "Fix: run `pnpm changeset version` with changesets that name the changes, then release.";
  return failure("release-version", startOf(manifestFile), message);
}

/** Reports whether a version is at least one step above the released one. The first release is 0.1.0 or higher. */
export function fits(released: string | undefined, version: string, step: Level): boolean {
  const [was, is] = [parse(released ?? "0.0.0"), parse(version)];
  if (was === undefined || is === undefined) return false;
  if (is.major !== was.major) return is.major > was.major;
  if (released === undefined || step === "minor") return is.minor > was.minor;
  return step === "patch" && (is.minor > was.minor || (is.minor === was.minor && is.patch > was.patch));
}

function parse(version: string) {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)(?:-[\w.-]+)?$/.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}
