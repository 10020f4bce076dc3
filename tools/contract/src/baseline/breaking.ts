import { asJson, bufFindings, startBuf } from "../buf/buf.ts";
import { type Change, compare } from "../compare/compare.ts";
import { factsOf } from "../facts/facts.ts";
import type { Contract } from "../model/contract.ts";
import type { Finding, Place } from "../model/finding.ts";
import { type Baseline, foldersOf, readBaseline, releasedImage } from "./baseline.ts";
import { readChangesets } from "./changesets.ts";
import { compareApis } from "./compare-apis.ts";
import { judgeApiChange, judgeBufFinding, judgeChanges } from "./judge.ts";
import { migrationFindings } from "./migrations.ts";
import { readPackageApis } from "./package-apis.ts";

/**
 * The configuration of buf's comparison, which buf.yaml cannot weaken. It excludes the idempotency level: the facts contain the retry
 * safety, and lint requires the two to agree.
 */
const config = JSON.stringify({
  version: "v2",
  breaking: { use: ["FILE"], except: ["RPC_SAME_IDEMPOTENCY_LEVEL"] },
});

/**
 * Compares the contract and the TypeScript APIs with the released ones. Fails on breaking changes, and on additions that
 * no changeset names.
 */
export async function breaking(root: string, built: Promise<Contract>, today: string): Promise<readonly Finding[]> {
  const contract = await built;
  const baseline = readBaseline(root, contract);
  if ("faults" in baseline) return baseline.faults;
  if (baseline.contract === contract) return apiFindings(root, baseline);
  const buf = await bufBreaking(root, baseline.contract, contract);
  const changesets = readChangesets(root);
  const found = contractChanges(baseline, contract, today);
  const changes = judgeChanges(found, changesets);
  const lines = new Set(changes.filter(({ change }) => change === "breaking").map(({ place }) => lineOf(place)));
  // On these lines the comparison of facts already reported a breaking change, with a clearer message than buf's.
  return [...changes, ...buf.filter(({ place }) => !lines.has(lineOf(place))), ...apiFindings(root, baseline)];
}

export function contractChanges(released: Baseline, contract: Contract, today: string): readonly Change[] {
  return compare({ released: factsOf(released.contract), current: factsOf(contract), today });
}

/**
 * Lets buf compare the images, which takes less than half the time of compiling proto/ again. A folder that is gone is reported as a
 * package that is.
 */
async function bufBreaking(root: string, released: Contract, contract: Contract): Promise<readonly Finding[]> {
  const folders = foldersOf(contract);
  const paths = foldersOf(released).filter((folder) => folders.includes(folder));
  if (paths.length === 0) return [];
  const inImage = paths.flatMap((folder) => ["--path", folder.replace(/^proto\//, "")]);
  const against = ["--against", releasedImage, "--exclude-imports", "--config", config];
  const compared = await startBuf(
    root,
    ["breaking", "-#format=binpb", ...against, ...inImage, ...asJson],
    contract.image,
  );
  return bufFindings(compared).map(({ place, ...finding }) =>
    judgeBufFinding({ ...finding, place: { ...place, file: `proto/${place.file}` } }),
  );
}

/** Before the first release there is no API that callers could rely on. */
function apiFindings(root: string, { version, apis }: Baseline): readonly Finding[] {
  if (version === undefined) return [];
  const changesets = readChangesets(root);
  const current = readPackageApis(root);
  return [
    ...compareApis(apis, current).map((change) => judgeApiChange(change, changesets)),
    ...Object.entries(apis).flatMap(([name, { declarations }]) =>
      migrationFindings(declarations, current[name]?.declarations ?? []),
    ),
  ];
}

function lineOf({ file, line }: Place): string {
  return `${file}:${line}`;
}
