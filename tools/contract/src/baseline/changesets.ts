import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Finding, failure, startOf } from "../model/finding.ts";
import type { Base } from "./history.ts";

/** How far a version goes up, the smallest first. */
export const steps = ["patch", "minor", "major"] as const;
export type Step = (typeof steps)[number];

/** Returns the largest of some steps. Default: `patch`. */
export function highest(some: readonly string[]): Step {
  return steps.findLast((step) => some.includes(step)) ?? "patch";
}

export interface Changeset {
  /** A path from the root of the workspace. */
  readonly file: string;
  /** What the front matter says, by package: a step, `none`, or something wrong. */
  readonly bumps: ReadonlyMap<string, string>;
  readonly sentences: readonly string[];
}

const folder = ".changeset";

export function readChangesets(root: string): readonly Changeset[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const files = readdirSync(path).map((file) => `${folder}/${file}`);
  return files.filter(isChangeset).map((file) => parseChangeset(file, readFileSync(join(root, file), "utf8")));
}

export async function changesetsAt(base: Base): Promise<readonly Changeset[]> {
  const files = (await base.list(folder)).filter(isChangeset);
  return Promise.all(files.map(async (file) => parseChangeset(file, String(await base.read(base.commit, file)))));
}

function isChangeset(file: string): boolean {
  return /^\.changeset\/(?!README\.md$|\.)[^/]+\.md$/.test(file);
}

export function parseChangeset(file: string, source: string): Changeset {
  const [, head = source, text = ""] = /^---\r?\n([\s\S]*?)---([\s\S]*)$/.exec(source) ?? [];
  const lines = head.split("\n").map((line) => line.replaceAll(/["'\s]/g, ""));
  const bumps = lines.filter((line) => line !== "").map((line) => line.split(":"));
  return { file, bumps: new Map(bumps.map(([name = "", step = ""]) => [name, step])), sentences: sentencesIn(text) };
}

/** Returns what people read: no comments, no definitions of links, and nothing that is struck through. */
function sentencesIn(text: string): readonly string[] {
  return text
    .replaceAll(/<!--[\s\S]*?(?:-->|$(?![\s\S]))|^ *\[[^\]]*\]:.*|~~[\s\S]*?~~/gm, " ")
    .split(/(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*] )/);
}

/** Returns a finding for each changeset that bumps something else than a published package, or not by a step. It would count for nothing. */
export function misaddressed(changesets: readonly Changeset[], packages: readonly string[]): readonly Finding[] {
  return changesets.flatMap(({ file, bumps }) => {
    const wrong = [...bumps].filter(([name, step]) => !packages.includes(name) || ![...steps, "none"].includes(step));
    if (wrong.length === 0) return [];
    const message =
      `The front matter bumps no published package by \`${wrong.map((bump) => bump.join(": ")).join("`, `")}\`.\n` +
      `Fix: write \`"<package>": patch\`, \`minor\` or \`major\`. The packages are ${packages.join(", ")}.`;
    return failure("changeset", startOf(file), message);
  });
}

/** What a changeset must contain: each name in one of its spellings. */
export type Names = readonly (readonly string[])[];

/** Reports whether a changeset bumps a package by at least this step, and has a sentence that states each of these names. */
export function announces({ bumps, sentences }: Changeset, name: string, step: Step, names: Names): boolean {
  const order: readonly (string | undefined)[] = steps;
  if (order.indexOf(bumps.get(name)) < order.indexOf(step)) return false;
  return names.every((spellings) => spellings.some((spelling) => sentences.some((text) => states(text, spelling))));
}

const denials = /\b(?:not|no(?! longer)|never|nothing|nor|neither|without)\b|n['’]t\b/i;
const denialAfter = /^\W*(?:\w+\W+)?(?:not|never|\w+n['’]t|unchanged)\b/i;

/**
 * Reports whether a sentence contains a name that is not a part of a longer one (not `Item.kind` in `OldItem.kind` or `Item.kindOf`), and
 * does not deny it: no word such as "not" or "without" before the name, or right after it.
 */
function states(sentence: string, name: string): boolean {
  const literal = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = [...sentence.matchAll(new RegExp(`(?<![\\w$./@-])${literal}(?![\\w$-]|[./:[]\\w)`, "g"))];
  return found.some(
    ({ index }) => !denials.test(sentence.slice(0, index)) && !denialAfter.test(sentence.slice(index + name.length)),
  );
}
