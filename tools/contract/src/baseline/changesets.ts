import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Level = "patch" | "minor" | "major";

/** One changeset: the packages it bumps, and its text. */
export interface Changeset {
  readonly bumps: ReadonlyMap<string, Level>;
  readonly text: string;
}

const folder = ".changeset";

/** Reads the pending changesets. */
export function readChangesets(root: string): readonly Changeset[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => parseChangeset(readFileSync(join(path, file), "utf8")));
}

export function parseChangeset(source: string): Changeset {
  const [, head = "", text = ""] = /^---\r?\n([\s\S]*?)\r?\n---([\s\S]*)$/.exec(source) ?? [];
  const bumps = [...head.matchAll(/^["']?([^"':\s]+)["']?\s*:\s*["']?(patch|minor|major)["']?\s*$/gm)];
  return { text, bumps: new Map(bumps.map(([, name = "", level]) => [name, levelOf(level)])) };
}

function levelOf(text: string | undefined): Level {
  return text === "major" || text === "minor" ? text : "patch";
}

/** What a changeset must contain: each name in one of its spellings. */
export type Names = readonly (readonly string[])[];

/** Reports whether a changeset bumps a package by at least this level and contains each of these names. */
export function announces({ bumps, text }: Changeset, name: string, level: Level, names: Names): boolean {
  const order: readonly (Level | undefined)[] = [undefined, "patch", "minor", "major"];
  if (order.indexOf(bumps.get(name)) < order.indexOf(level)) return false;
  return names.every((spellings) => spellings.some((spelling) => contains(text, spelling)));
}

/** Reports whether a text contains a name that is not a part of a longer one: not `Item.kind` in `OldItem.kind` or `Item.kindOf`. */
function contains(text: string, name: string): boolean {
  const literal = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w$./@-])${literal}(?![\\w$-]|[./:[]\\w)`).test(text);
}
