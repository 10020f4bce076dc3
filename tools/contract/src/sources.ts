import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** TypeScript files by their paths from the root of the workspace. */
export type Sources = ReadonlyMap<string, string>;

/** Where the programs that speak the contract stand. They are read as text: nothing here imports them. */
export const sourceFolders = ["packages/server/src", "apps/reference/src"];
const notShipped = /\.test\.ts$|\/(?:gen|testing|wire)\//;

/** What is shipped of the programs that speak the contract. @throws Error when a folder cannot be read. */
export function readSources(root: string): Sources {
  const files = sourceFolders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !notShipped.test(path))
    .sort();
  return new Map(files.map((path) => [relative(root, path), readFileSync(path, "utf8")]));
}

/** @throws Error when there is no such file: what is read from it must not be taken as empty. */
export function sourceAt(sources: Sources, path: string): string {
  const text = sources.get(path);
  if (text === undefined) throw new Error(`there is no ${path}: what the contract gate reads from it has moved`);
  return text;
}
