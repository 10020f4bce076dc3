import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { asJson, bufFindings } from "../buf/buf-findings.ts";
import { startBuf } from "../buf/run-buf.ts";
import { changeRules } from "../compare/change-rules.ts";
import { type Finding, failure } from "../finding.ts";
import type { Lock } from "../lock/lock.ts";
import { lockContract } from "../lock/lock-contract.ts";
import type { Contract } from "../model/contract.ts";
import { startOf } from "../model/place.ts";
import { readBaseline, readReleasedVersion, releaseFile, unusable, writeBaseline } from "./baseline.ts";
import { breaking, contractChanges } from "./breaking.ts";
import { compareApis } from "./compare-apis.ts";
import { readPackageApis } from "./package-apis.ts";
import { fits, type Step } from "./version.ts";

const manifestFile = "packages/types/package.json";

export interface ReleaseOptions {
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
  const lock = lockContract(contract);
  if (first) return recordDraft(root, contract, lock);
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
  const step: Step = levels.includes("major")
    ? "major"
    : levels.length > 0 || changes.includes("additive")
      ? "minor"
      : "patch";
  if (typeof version !== "string" || !fits(baseline.version, version, step)) {
    return [wrongVersion(baseline.version, String(version), step)];
  }
  return write(root, contract, { version, lock, apis });
}

async function recordDraft(root: string, contract: Contract, lock: Lock): Promise<readonly Finding[]> {
  try {
    const version = readReleasedVersion(root);
    if (version !== undefined) return [existsAlready(version)];
  } catch (error) {
    return [unusable(error)];
  }
  // Before the first release there is no TypeScript API to compare with.
  return write(root, contract, { version: undefined, lock, apis: {} });
}

async function write(root: string, contract: Contract, baseline: Parameters<typeof writeBaseline>[1]) {
  const files = [...contract.packages.values()].filter(({ published }) => published).flatMap((found) => found.files);
  const paths = [...new Set(files.map(({ path }) => dirname(path)))].flatMap((path) => ["--path", path]);
  const image = await startBuf(root, ["build", "--exclude-source-info", ...paths, "-o", "-#format=binpb", ...asJson]);
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

function wrongVersion(released: string | undefined, version: string, step: Step): Finding {
  const message =
    `@platform-rpc/types has the version ${version}, and ${released ?? "nothing"} is released: the changes require a ${step} version or a higher one.\n` +
    "Fix: run `pnpm changeset version` with changesets that name the changes, then release.";
  return failure("release-version", startOf(manifestFile), message);
}
