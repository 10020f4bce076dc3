import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A text to insert into a file that exists. */
export interface Insertion {
  readonly path: string;
  /** The place, as the error message names it: "the end of the imports". */
  readonly place: string;
  /** The text is inserted before the first match. */
  readonly before: RegExp;
  /** A Handlebars template. */
  readonly text: string;
}

/** Returns a message for each insertion whose place is not in its file. */
export function findLostPlaces(root: string, insertions: readonly Insertion[]): readonly string[] {
  return insertions
    .filter(({ path, before }) => !before.test(readFileSync(join(root, path), "utf8")))
    .map(
      ({ path, place, before }) =>
        `${path}: ${place} was not found, because the code no longer matches ${before}. No file was changed. ` +
        "Adapt the pattern in tools/new-operation/src/plan.ts to the code.",
    );
}

/** Inserts a text that is already rendered. */
export function insert(root: string, { path, before }: Insertion, text: string): void {
  const file = join(root, path);
  // A function, because `$` in a replacement string has a meaning.
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(before, (match) => text + match),
  );
}
