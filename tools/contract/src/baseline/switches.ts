import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Finding, failure, startOf } from "../model/finding.ts";
import type { Base } from "./history.ts";

/** Something by which the gate runs. What held at the merge base must still hold. */
interface Switch {
  readonly file: string;
  readonly holds: (now: string, was: string) => boolean;
  /** What no longer holds, as a sentence. */
  readonly fault: string;
}

const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()).default({}) });

const script = (name: string, pattern: RegExp, fault: string): Switch => ({
  file: "package.json",
  holds: (now) => pattern.test(manifestSchema.parse(JSON.parse(now)).scripts[name] ?? ""),
  fault,
});

/** Whose review a change of the gate needs. */
export const ownedPaths = [
  "/proto/",
  "/tools/contract/",
  "/tools/workspace-node.mjs",
  "/tools/tally.mjs",
  "/turbo.json",
  "/.ci/",
  "/.github/",
  "/package.json",
  "/buf.yaml",
  "/.changeset/",
];

const switches: readonly Switch[] = [
  script(
    "contract",
    /^node tools\/workspace-node\.mjs && node tools\/contract\/src\/main\.ts$/,
    "The script `contract` does not run the gate, or ignores its result.",
  ),
  script("gates", /\bturbo run [^|;&]*\bcontract\b/, "The script `gates` does not run `contract`."),
  script("check", /\bpnpm --silent gates\b/, "The script `check` does not run `gates`."),
  script("release:version", /&& pnpm --silent contract release\b/, "A release does not record its contract."),
  {
    file: ".ci/run",
    holds: (now) => /^(?!\s*#).*\bpnpm --silent gates\b/m.test(now),
    fault: "The check script does not run `pnpm gates`.",
  },
  {
    file: ".github/workflows/check.yml",
    holds: (now) => /^ {2}pull_request:$/m.test(now) && /^\s*- run: npx -y pnpm@12 check$/m.test(now),
    fault: "The workflow does not run `pnpm check` for every pull request.",
  },
  {
    file: ".github/workflows/check.yml",
    holds: (now) => /^(?!\s*#).*\/main\.ts judge --root\b/m.test(now),
    fault: "The workflow does not run the gate of the merge base.",
  },
  { file: "buf.yaml", holds: isAsStrict, fault: "buf.yaml checks less, or other files, than before." },
  ...ownedPaths.map((path) => ({
    file: ".github/CODEOWNERS",
    holds: (now: string) => isOwned(path, now),
    fault: `Nobody owns ${path}, so a change of the gate needs no review.`,
  })),
];

/** Refuses a change by which the gate would not run, would run on less, or could change without a review. */
export async function switchFindings(root: string, base: Base): Promise<readonly Finding[]> {
  const files = [...new Set(switches.map(({ file }) => file))].filter((file) => base.changed.includes(file));
  const found = await Promise.all(
    files.map(async (file) => {
      const was = await base.read(file);
      if (was === undefined) return [];
      const now = await readFile(join(root, file), "utf8").catch(() => "");
      const broken = switches.filter((each) => each.file === file && holds(each, was, was) && !holds(each, now, was));
      return broken.map(({ fault }) => refusal(file, fault, base));
    }),
  );
  const attributes = base.changed.find((file) => /(?:^|\/)\.gitattributes$/.test(file));
  if (attributes === undefined) return found.flat();
  const fault = "It decides what a review shows of a change, and which bytes git compares.";
  return [...found.flat(), refusal(attributes, fault, base)];
}

/** A file that cannot be read runs nothing. */
function holds({ holds: test }: Switch, now: string, was: string): boolean {
  try {
    return test(now, was);
  } catch {
    return false;
  }
}

function refusal(file: string, fault: string, { commit }: Base): Finding {
  const message =
    `${fault}\nA change cannot switch off the gate that judges it.\n` +
    `Fix: git checkout ${commit.slice(0, 10)} -- ${file}`;
  return failure("gate-switched-off", startOf(file), message);
}

/** The last line that matches decides, so a later one must not take the owner away. */
function isOwned(path: string, owners: string): boolean {
  const lines = owners.split("\n").filter((line) => line.split(/\s/, 1)[0] === path || line.startsWith("* "));
  return /^\S+\s+@\S/.test(lines.at(-1) ?? "");
}

/** Only lists of rules may become longer. Comments do not matter. */
function isAsStrict(now: string, was: string): boolean {
  const [lines, before] = [now, was].map((text) => text.split("\n").map(withoutComment).filter(Boolean));
  if (lines === undefined || lines.length !== before?.length) return false;
  return before.every((line, index) => line === lines[index] || listsMore(lines[index] ?? "", line));
}

function withoutComment(line: string): string {
  return line.replace(/(?:^|\s+)#.*/, "").trimEnd();
}

function listsMore(line: string, before: string): boolean {
  const [rules, old] = [line, before].map((text) => /^ {2}use: \[(.*)\]$/.exec(text)?.[1]?.split(/,\s*/));
  return old?.every((rule) => rules?.includes(rule)) ?? false;
}
