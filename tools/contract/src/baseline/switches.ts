import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Finding, failure, startOf } from "../model/finding.ts";
import { fixedParts, fixedPartsFile, type Switch } from "./fixed-parts.ts";
import type { Base } from "./history.ts";

/** Whose review a change of the gate needs. */
export const ownedPaths = [
  "/proto/",
  "/tools/contract/",
  "/tools/workspace-node.mjs",
  "/tools/tally.mjs",
  "/turbo.json",
  "/.npmrc",
  "/pnpm-workspace.yaml",
  "/.ci/",
  "/.github/",
  "/package.json",
  "/buf.yaml",
  "/.changeset/",
];

const switches: readonly Switch[] = [
  { file: "buf.yaml", isKept: isAsStrict, fault: "buf.yaml checks less, or other files, than before." },
  ...ownedPaths.map((path) => ({
    file: ".github/CODEOWNERS",
    isKept: (now: string, was: string) => isOwned(path, now) || !isOwned(path, was),
    fault: `Nobody owns ${path}, so a change of the gate needs no review.`,
  })),
];

/** Rejects a change after which the gate would not run, would check less, or could be changed without a review. */
export async function switchFindings(root: string, base: Base): Promise<readonly Finding[]> {
  const areFixed = (await base.read(fixedPartsFile)) !== undefined;
  const compared = [...switches, ...(areFixed ? fixedParts : [])].filter(({ file }) => base.changed.includes(file));
  const found = await Promise.all(
    compared.map(async (each) => ((await isKept(each, root, base)) ? [] : [refusal(each.file, each.fault, base)])),
  );
  const attributes = base.changed.find((file) => /(?:^|\/)\.gitattributes$/.test(file));
  if (attributes === undefined) return found.flat();
  const fault = "It decides what a review shows of a change, and which bytes git compares.";
  return [...found.flat(), refusal(attributes, fault, base)];
}

/** A file that is missing or cannot be parsed runs nothing. */
async function isKept({ file, isKept: compare }: Switch, root: string, base: Base): Promise<boolean> {
  const was = await base.read(file);
  if (was === undefined) return true;
  try {
    return await compare(await readFile(join(root, file), "utf8"), was);
  } catch {
    return false;
  }
}

function refusal(file: string, fault: string, { commit }: Base): Finding {
  const message =
    `${fault}\nA change cannot switch off the gate that judges it.\n` +
    `Fix: git checkout ${commit.slice(0, 10)} -- ${file}\n` +
    "If it has to change: change nothing else. Its owners in .github/CODEOWNERS review it, and merge it although this check fails.";
  return failure("gate-switched-off", startOf(file), message);
}

/** Each line that may match the path has an owner, because the last of them decides, and one line is for this path or for all. */
function isOwned(path: string, owners: string): boolean {
  const lines = owners.split("\n").flatMap((line) => {
    const [pattern = "", owner = ""] = line.trim().split(/\s+/);
    return pattern !== "" && !pattern.startsWith("#") && mayMatch(pattern, path) ? [{ pattern, owner }] : [];
  });
  return (
    lines.every(({ owner }) => /^@\S|@\S+\./.test(owner)) &&
    lines.some(({ pattern }) => pattern === "*" || pattern === path)
  );
}

/** Reports whether a pattern may match something in a path: false only for the literal path of something else. */
function mayMatch(pattern: string, path: string): boolean {
  return !/^\/[\w./-]+$/.test(pattern) || pattern.startsWith(path) || path.startsWith(pattern);
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
