/** One change of a source file. It contains no line number, so that lists of two versions of the file can be compared. */
export interface Mutant {
  readonly file: string;
  /** The function that contains it. */
  readonly within: string;
  readonly kind: "inverted" | "always true" | "always false" | "deleted";
  /** The changed source text, on one line. */
  readonly text: string;
}

/** A mutant, and the first test that failed because of it: undefined if it survived. */
export interface Result extends Mutant {
  readonly killedBy?: string | undefined;
}

export function describe({ file, within, kind, text }: Mutant): string {
  return `${file} · ${within} · ${kind} · ${text}`;
}

/**
 * Returns the survivors that have not survived before. Neither the file nor a prefix `decide` of the function matters, so that
 * files can be merged and moved.
 */
export function newSurvivors(before: readonly Result[], after: readonly Result[]): readonly Result[] {
  const survived = before.filter(({ killedBy }) => killedBy === undefined).map(keyOf);
  return after.filter((result) => {
    if (result.killedBy !== undefined) return false;
    const at = survived.indexOf(keyOf(result));
    if (at >= 0) survived.splice(at, 1);
    return at < 0;
  });
}

function keyOf({ within, kind, text }: Mutant): string {
  return JSON.stringify([within.replace(/^decide/, "").toLowerCase(), kind, text]);
}
