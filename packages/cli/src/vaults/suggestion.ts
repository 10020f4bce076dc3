/** Returns the question whether the person meant one of the words, with a space before it; empty if none is similar. */
export function suggestion(typed: string, words: readonly string[]): string {
  const from = typed.toLowerCase();
  const isNear = (distance: number, length: number) =>
    distance <= Math.max(length < 4 ? 1 : 2, Math.floor(length * 0.4));
  const measured = words.map((word) => ({ word, distance: distance(from, word.toLowerCase()) }));
  const [nearest] = measured
    .filter(({ word, distance }) => isNear(distance, Math.max(from.length, word.length)))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest === undefined ? "" : ` Did you mean "${nearest.word}"?`;
}

/** Returns how many characters are inserted, removed or replaced between two texts (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
