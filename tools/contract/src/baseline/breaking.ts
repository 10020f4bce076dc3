import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asJson, bufFindings, startBuf } from "../buf/buf.ts";
import { changeRules } from "../compare/change-rules.ts";
import { type Change, compare } from "../compare/compare.ts";
import { factsOf } from "../facts/facts.ts";
import type { Contract } from "../model/contract.ts";
import type { Finding, Place } from "../model/finding.ts";
import { readImage } from "../model/read-image.ts";
import { type ApiChange, compareApis } from "./api-changes.ts";
import { foldersOf, hasSameFiles, type Release } from "./baseline.ts";
import type { Changeset, Step } from "./changesets.ts";
import { judgeApiChange, judgeBufFinding, judgeChanges } from "./judge.ts";
import type { PackageApis } from "./package-apis.ts";

export interface Current {
  readonly root: string;
  readonly contract: Contract;
  readonly apis: PackageApis;
  /** YYYY-MM-DD. */
  readonly today: string;
}

export interface Differences {
  readonly contract: readonly Change[];
  /** What buf reports on lines on which the facts have no breaking change: their messages are clearer than buf's. */
  readonly buf: readonly Finding[];
  readonly apis: readonly ApiChange[];
}

/**
 * The configuration of buf's comparison, which buf.yaml cannot weaken. A message may move to another file of its package: callers get it
 * from the same entry. It excludes the idempotency level: the facts contain the retry safety, and lint requires the two to agree. It
 * excludes the syntax: other rules compare the features that follow from it.
 */
const config = JSON.stringify({
  version: "v2",
  breaking: { use: ["PACKAGE"], except: ["RPC_SAME_IDEMPOTENCY_LEVEL", "FILE_SAME_SYNTAX"] },
});

export async function differencesFrom(released: Release, current: Current): Promise<Differences> {
  const { root, contract, today } = current;
  // Before the first release there is no API that callers could rely on.
  const apis = released.version === undefined ? [] : compareApis(released.apis, current.apis);
  if (hasSameFiles(released.image, contract)) return { contract: [], buf: [], apis };
  const before = readImage(released.image);
  const changes = compare({ released: factsOf(before), current: factsOf(contract), today });
  const lines = new Set(changes.filter(({ rule }) => isBreaking(rule)).map(({ place }) => lineOf(place)));
  const buf = await bufBreaking(root, before, contract);
  return { contract: changes, buf: buf.filter(({ place }) => !lines.has(lineOf(place))), apis };
}

/** Returns the findings for differences: an error for a breaking one, and for an addition that no changeset names. */
export function findingsOf({ contract, buf, apis }: Differences, changesets: readonly Changeset[]): readonly Finding[] {
  return [...judgeChanges(contract, changesets), ...buf, ...apis.map((change) => judgeApiChange(change, changesets))];
}

/** Returns how far the version has to go up. `never`: no version may contain the differences. */
export function stepOf({ contract, buf, apis }: Differences): Step | "never" {
  const has = (step: ApiChange["step"]) => apis.some((change) => change.step === step);
  if (buf.length > 0 || has("never") || contract.some(({ rule }) => isBreaking(rule))) return "never";
  if (has("major")) return "major";
  return has("minor") || contract.some(({ rule }) => changeRules[rule].kind !== "documentation") ? "minor" : "patch";
}

function isBreaking(rule: Change["rule"]): boolean {
  return changeRules[rule].kind === "breaking";
}

/** Compares the images, in less than half the time of compiling proto/ again. A folder that is gone is reported as a missing package. */
async function bufBreaking(root: string, released: Contract, contract: Contract): Promise<readonly Finding[]> {
  const folders = foldersOf(contract);
  const paths = foldersOf(released).filter((folder) => folders.includes(folder));
  if (paths.length === 0) return [];
  const inImage = paths.flatMap((folder) => ["--path", folder.replace(/^proto\//, "")]);
  const folder = await mkdtemp(join(tmpdir(), "released-"));
  try {
    const image = join(folder, "contract.binpb");
    await writeFile(image, released.image);
    const against = ["--against", image, "--exclude-imports", "--config", config];
    const args = ["breaking", "-#format=binpb", ...against, ...inImage, ...asJson];
    return bufFindings(await startBuf(root, args, contract.image)).map(({ place, ...finding }) =>
      judgeBufFinding({ ...finding, place: { ...place, file: `proto/${place.file}` } }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

function lineOf({ file, line }: Place): string {
  return `${file}:${line}`;
}
