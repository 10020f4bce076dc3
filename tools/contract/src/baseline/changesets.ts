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

/** Reports whether a changeset bumps a package by at least this level and names the change, not only an earlier one. */
export function announces({ bumps, text }: Changeset, name: string, level: Level, words: readonly string[]): boolean {
  const order: readonly (Level | undefined)[] = [undefined, "patch", "minor", "major"];
  if (order.indexOf(bumps.get(name)) < order.indexOf(level)) return false;
  const named = new Set(text.split(/[^\w$-]+/));
  return words.every((word) => named.has(word));
}
