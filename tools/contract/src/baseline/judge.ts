import { type ChangeRule, changeRules } from "../compare/change-rules.ts";
import type { Change } from "../compare/compare-locks.ts";
import { lockFile } from "../lock/lock-file.ts";
import { type Subject, subjectsOf } from "../lock/subjects.ts";
import type { Contract } from "../model/contract.ts";
import { type ChangeKind, type Finding, type Place, startOf, type Verdict } from "../model/finding.ts";
import { announces, type Changeset } from "./changesets.ts";
import type { ApiChange } from "./compare-apis.ts";

const contractPackage = "@platform-rpc/types";
const headings: Readonly<Record<ChangeKind, readonly [effect: string, advice: string]>> = {
  breaking: ["This breaks callers: ", "Instead: "],
  additive: ["This is an addition: ", "Fix: "],
  documentation: ["Only documentation changed. Effect on callers: ", ""],
};

/** Turns changes into findings. Breaking changes fail, additions fail unless a changeset names them, comments get one note per file. */
export function judgeChanges(
  changes: readonly Change[],
  contract: Contract,
  changesets: readonly Changeset[],
): readonly Finding[] {
  const comments = changes.filter(({ rule }) => rule === "comment-changed");
  const subjects = Object.values(subjectsOf(contract)).flat();
  const fileOf = (change: Change) => placeOf(change, subjects).file;
  const perFile = [...new Set(comments.map(fileOf))].flatMap((file) => {
    const [first, ...more] = comments.filter((change) => fileOf(change) === file);
    return first === undefined ? [] : { ...first, what: [first, ...more].map(({ what }) => what).join("\n") };
  });
  const others = changes.filter(({ rule }) => rule !== "comment-changed");
  return [...others, ...perFile].map((change) => judgeChange(change, placeOf(change, subjects), changesets));
}

function judgeChange(change: Change, place: Place, changesets: readonly Changeset[]): Finding {
  const { rule, what } = change;
  const { kind } = changeRules[rule];
  const words = wordsOf(change);
  const announced = changesets.some((changeset) => announces(changeset, contractPackage, "minor", words));
  const verdicts: Readonly<Record<ChangeKind, Verdict>> = {
    breaking: "fails",
    additive: announced ? "noted" : "fails",
    documentation: "noted",
  };
  const named = kind === "additive" && announced ? "A changeset names it." : undefined;
  const message = explain(changeRules[rule], what, named ?? adviceFor(changeRules[rule], words));
  return { rule, verdict: verdicts[kind], place, change: kind, message };
}

/** Returns the place of a change. A removed part is reported at the part that contained it, or at the lock. */
function placeOf({ kind, name, property = "" }: Change, subjects: readonly Subject[]): Place {
  const found = subjects.find((each) => each.kind === kind && each.name === name);
  const dated = /^(?:deprecatedOn|sunsetOn|deprecated)$/.test(property);
  const part = dated ? "deprecation" : property.replace(/^limits\./, "").replace(/\..*/, "");
  return found?.optionPlaces[part] ?? found?.place ?? ownerOf(name, subjects)?.place ?? startOf(lockFile);
}

/** Returns the closest part that contains a part, or another header of the same direction. */
function ownerOf(name: string, subjects: readonly Subject[]): Subject | undefined {
  const owner = name.replace(/[/. ][^/. ]*$/, "");
  if (owner === name) return undefined;
  return subjects.find((each) => each.name === owner || each.name.startsWith(`${owner} `)) ?? ownerOf(owner, subjects);
}

/** Turns a finding of buf's comparison into one of ours. */
export function judgeBufFinding({ place, rule, message }: Finding): Finding {
  const words = explain(changeRules["buf-breaking"], `${message} (${rule})`, changeRules["buf-breaking"].advice);
  return { rule: "buf-breaking", verdict: "fails", place, change: "breaking", message: words };
}

/** Turns a change of a TypeScript API into a finding. It passes with a changeset of its level that names it. */
export function judgeApiChange(change: ApiChange, changesets: readonly Changeset[]): Finding {
  const { package: name, level, word, what } = change;
  const announced = changesets.some((changeset) => announces(changeset, name, level, [word]));
  const kind = level === "major" ? "breaking" : "additive";
  const advice = announced
    ? "A changeset names it."
    : `Fix: undo it, or name ${word} in a ${level} changeset of ${name}.`;
  return {
    rule: `api-${kind}`,
    verdict: announced ? "noted" : "fails",
    place: startOf(`packages/${name.replace(/.*\//, "")}/api.md`),
    change: kind,
    message: `${what}\n${advice}`,
  };
}

/** What a changeset must contain: the name of what changed (of a package, the name of the limit), and a new entry of a list. */
function wordsOf({ kind, name, property, value = "" }: Change): readonly string[] {
  const subject = kind === "packages" && property !== undefined ? property : name;
  const last = subject.split(/[./ ]/).at(-1) ?? subject;
  return [last, ...(value.match(/[\w$-]+/g) ?? [])];
}

function adviceFor({ kind, advice }: ChangeRule, words: readonly string[]): string {
  const listed = words.map((word) => `\`${word}\``).join(" and ");
  return kind === "additive" ? `${advice} The text must contain ${listed}.` : advice;
}

function explain({ kind, effect }: ChangeRule, what: string, advice: string): string {
  const [beforeEffect, beforeAdvice] = headings[kind];
  return `${what}\n${beforeEffect}${effect}\n${beforeAdvice}${advice}`;
}
