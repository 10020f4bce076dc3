import { type ChangeRule, changeRules } from "../compare/change-rules.ts";
import type { Change } from "../compare/compare.ts";
import { kindOf, nameOf, type Path } from "../facts/facts.ts";
import { type ChangeKind, type Finding, startOf } from "../model/finding.ts";
import type { ApiChange } from "./api-changes.ts";
import { announces, type Changeset, type Names } from "./changesets.ts";

const contractPackage = "@platform-rpc/types";
const headings: Readonly<Record<ChangeKind, readonly [effect: string, advice: string]>> = {
  breaking: ["This breaks callers: ", "Instead: "],
  decision: ["This may promise callers less: ", "Fix: "],
  additive: ["This is an addition: ", "Fix: "],
  documentation: ["Only documentation changed. Effect on callers: ", ""],
};

/** Turns changes into findings: an error for a breaking change, and for an addition or a decision that no changeset names; one note for the comments of a file. */
export function judgeChanges(changes: readonly Change[], changesets: readonly Changeset[]): readonly Finding[] {
  const comments = changes.filter(({ rule }) => rule === "comment-changed");
  const perFile = [...new Set(comments.map(({ place }) => place.file))].flatMap((file) => {
    const [first, ...more] = comments.filter(({ place }) => place.file === file);
    return first === undefined
      ? []
      : { ...first, what: [...new Set([first, ...more].map(({ what }) => what))].join("\n") };
  });
  const others = changes.filter(({ rule }) => rule !== "comment-changed");
  return [...others, ...perFile].map((change) => judgeChange(change, namesOf(change, changes), changesets));
}

function judgeChange({ rule, what, place }: Change, names: Names, changesets: readonly Changeset[]): Finding {
  const { kind } = changeRules[rule];
  const announced = changesets.some((changeset) => announces(changeset, contractPackage, "minor", names));
  const isAccounted = isNamed(kind) && announced;
  const verdict = kind === "documentation" || isAccounted ? "noted" : "fails";
  const advice = isAccounted ? "A changeset names it." : adviceFor(changeRules[rule], names);
  return { rule, verdict, place, change: kind, message: explain(changeRules[rule], what, advice) };
}

export function judgeBufFinding({ place, rule, message }: Finding): Finding {
  const words = explain(changeRules["buf-breaking"], `${message} (${rule})`, changeRules["buf-breaking"].advice);
  return { rule: "buf-breaking", verdict: "fails", place, change: "breaking", message: words };
}

/** Turns a change of a package's API into a finding: a note if a changeset of its step names it, else an error. */
export function judgeApiChange(change: ApiChange, changesets: readonly Changeset[]): Finding {
  const { package: name, step, name: changed, what } = change;
  if (step === "never") return judgeMigration(changed);
  const announced = changesets.some((changeset) => announces(changeset, name, step, [[changed]]));
  const kind = step === "major" ? "breaking" : "additive";
  const advice = announced
    ? "A changeset names it."
    : `Fix: undo it, or name \`${changed}\` in a ${step} changeset of ${name}.`;
  return {
    rule: `api-${kind}`,
    verdict: announced ? "noted" : "fails",
    place: startOf(`packages/${name.replace(/.*\//, "")}/api.md`),
    change: kind,
    message: `${what}\n${advice}`,
  };
}

/** A released migration that was edited or removed: no changeset allows it. */
function judgeMigration(file: string): Finding {
  const message =
    `${file} was released, and was edited or removed since.\n` +
    "This breaks callers: databases that have run it differ from new ones, and no migration leads from one to the other.\n" +
    "Instead: restore the file as it was released, and add a migration.";
  return { rule: "migration-changed", verdict: "fails", place: startOf(file), change: "breaking", message };
}

/**
 * Returns what a changeset must contain to account for exactly this change: the element, as the finding names it, and the property that
 * changed or the new entry of its list. The package is optional if no other change has the same name without it. An operation can be
 * written as in a URL or as in a sentence: `VaultService/DeleteItem`, `VaultService.DeleteItem`.
 */
function namesOf({ path, property, value }: Change, changes: readonly Change[]): Names {
  const short = shortName(path);
  const isUnique = changes.every((change) => change.path === path || shortName(change.path) !== short);
  const named = isUnique ? [short, nameOf(path)] : [nameOf(path)];
  const element = [...named, ...named.map((name) => name.replace("/", "."))];
  const part = value ?? property?.replace(/^(?:rules|when)\./, "");
  return part === undefined ? [element] : [element, [part]];
}

/** Returns `VaultService/DeleteItem` for `operation platform.v1.VaultService/DeleteItem`. */
function shortName(path: Path): string {
  return kindOf(path) === "package" ? nameOf(path) : nameOf(path).replace(/^(?:[a-z]\w*[. ])+/, "");
}

/** Reports whether a change of this kind passes if a changeset names it. */
function isNamed(kind: ChangeKind): boolean {
  return kind === "additive" || kind === "decision";
}

function adviceFor({ kind, advice }: ChangeRule, names: Names): string {
  const listed = names.map(([spelling]) => `\`${spelling}\``).join(" and ");
  return isNamed(kind)
    ? `${advice} A sentence of the text must state ${listed}: without "not", "no" or "never".`
    : advice;
}

function explain({ kind, effect }: ChangeRule, what: string, advice: string): string {
  const [beforeEffect, beforeAdvice] = headings[kind];
  return `${what}\n${beforeEffect}${effect}\n${beforeAdvice}${advice}`;
}
