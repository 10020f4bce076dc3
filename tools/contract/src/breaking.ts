import type { FileRegistry } from "@bufbuild/protobuf";
import { asJson, bufFindings } from "./buf/buf-findings.ts";
import { startBuf } from "./buf/run-buf.ts";
import type { Change } from "./changes/change.ts";
import { type ChangeRuleId, changeRules } from "./changes/change-rules.ts";
import { compareLocks } from "./changes/compare-locks.ts";
import { placeOfSubject } from "./changes/place-of-subject.ts";
import { contractHasChangeset } from "./changesets.ts";
import type { ChangeKind, Finding, Place, Verdict } from "./finding.ts";
import { lockContract } from "./lock/lock-contract.ts";
import { buildContract } from "./read-contract.ts";
import { type ReleasedContract, readReleased, releasedImage } from "./released-contract.ts";
import { readSources, type Sources } from "./sources.ts";

/**
 * Compares today's contract with the released one, and says of every difference what it does to callers. A breaking one
 * fails; an additive one fails unless a changeset tells callers of it. Without a released contract to compare with
 * nothing is judged, and nothing passes.
 */
export async function breaking(root: string, built?: ReturnType<typeof buildContract>): Promise<readonly Finding[]> {
  const released = readReleased(root);
  if ("faults" in released) return released.faults;
  // Imports are buf's and other people's files. They are in the image only to make it complete.
  const against = ["breaking", "--against", releasedImage, "--exclude-imports", ...asJson];
  const [contract, compared] = await Promise.all([built ?? buildContract(root), startBuf(root, against)]);
  if ("faults" in contract) return contract.faults;
  const changes = changesSince(released, contract, readSources(root), contractHasChangeset(root));
  return [...changes, ...besides(changes, bufFindings(compared).map(explained))];
}

/** What changed since the release, as far as the lock can tell. */
export function changesSince(
  released: ReleasedContract,
  contract: FileRegistry,
  sources: Sources,
  hasChangeset: boolean,
): readonly Finding[] {
  return compareLocks(released.lock, lockContract(contract, sources)).map((change) =>
    findingOf(change, placeOfSubject(change.subject, contract, sources, released), hasChangeset),
  );
}

function findingOf({ rule, what }: Change, place: Place, hasChangeset: boolean): Finding {
  const { kind } = changeRules[rule];
  const verdicts: Readonly<Record<ChangeKind, Verdict>> = {
    breaking: "fails",
    additive: hasChangeset ? "noted" : "fails",
    documentation: "noted",
  };
  const message = explain(rule, `${what}.`, kind === "additive" && hasChangeset ? told : undefined);
  return { rule, verdict: verdicts[kind], place, change: kind, message };
}

function explained({ place, rule, message }: Finding): Finding {
  const words = explain("buf-breaking", `${message} (${rule})`);
  return { rule: "buf-breaking", verdict: "fails", place, change: "breaking", message: words };
}

const headings: Readonly<Record<ChangeKind, readonly [effect: string, advice: string]>> = {
  breaking: ["This breaks callers: ", "Instead: "],
  additive: ["This is an addition: ", ""],
  documentation: ["Only words changed: ", ""],
};

const told = "A changeset names @platform-rpc/types: see to it that it tells callers of this, too.";

function explain(rule: ChangeRuleId, what: string, instruction?: string): string {
  const { kind, effect, advice } = changeRules[rule];
  const [beforeEffect, beforeAdvice] = headings[kind];
  return `${what}\n${beforeEffect}${effect}\n${beforeAdvice}${instruction ?? advice}`;
}

/** What buf saw in other places: where the lock has told of a breaking change already, it did so in plainer words. */
function besides(changes: readonly Finding[], findings: readonly Finding[]): readonly Finding[] {
  const lines = new Set(changes.filter(({ change }) => change === "breaking").map(({ place }) => lineOf(place)));
  return findings.filter(({ place }) => !lines.has(lineOf(place)));
}

function lineOf({ file, line }: Place): string {
  return `${file}:${line}`;
}
