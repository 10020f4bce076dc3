import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Base } from "./history.ts";

/** How far a version goes up, the smallest first. */
export const steps = ["patch", "minor", "major"] as const;
export type Step = (typeof steps)[number];

/** Returns the largest of some steps. Default: `patch`. */
export function highest(some: readonly Step[]): Step {
  return steps.findLast((step) => some.includes(step)) ?? "patch";
}

export interface Changeset {
  readonly bumps: ReadonlyMap<string, Step>;
  readonly text: string;
}

const folder = ".changeset";

export function readChangesets(root: string): readonly Changeset[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter(isChangeset)
    .map((file) => parseChangeset(readFileSync(join(path, file), "utf8")));
}

export async function changesetsAt(base: Base): Promise<readonly Changeset[]> {
  const files = (await base.list(folder)).filter(isChangeset);
  const texts = await Promise.all(files.map((file) => base.read(base.commit, file)));
  return texts.map((text = Buffer.alloc(0)) => parseChangeset(text.toString()));
}

function isChangeset(file: string): boolean {
  return file.endsWith(".md") && !file.endsWith("README.md");
}

export function parseChangeset(source: string): Changeset {
  const [, head = "", text = ""] = /^---\r?\n([\s\S]*?)\r?\n---([\s\S]*)$/.exec(source) ?? [];
  const bumps = [...head.matchAll(/^["']?([^"':\s]+)["']?\s*:\s*["']?(patch|minor|major)["']?\s*$/gm)];
  return { text, bumps: new Map(bumps.map(([, name = "", step]) => [name, stepIn(step)])) };
}

function stepIn(text: string | undefined): Step {
  return text === "major" || text === "minor" ? text : "patch";
}

/** What a changeset must contain: each name in one of its spellings. */
export type Names = readonly (readonly string[])[];

/** Reports whether a changeset bumps a package by at least this step and contains each of these names. */
export function announces({ bumps, text }: Changeset, name: string, step: Step, names: Names): boolean {
  const order: readonly (Step | undefined)[] = [undefined, ...steps];
  if (order.indexOf(bumps.get(name)) < order.indexOf(step)) return false;
  return names.every((spellings) => spellings.some((spelling) => contains(text, spelling)));
}

/** Reports whether a text contains a name that is not a part of a longer one: not `Item.kind` in `OldItem.kind` or `Item.kindOf`. */
function contains(text: string, name: string): boolean {
  const literal = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w$./@-])${literal}(?![\\w$-]|[./:[]\\w)`).test(text);
}
