import { ProgramError } from "./program-error.js";

/** The most pages, and entries, of one list: far more than the vaults of a person have. */
const [mostPages, mostEntries] = [10_000, 1_000_000];

/** A page of a list. */
export interface Page<Entry, Position> {
  readonly entries: readonly Entry[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: Position | undefined;
}

/**
 * Yields the entries of a list, page by page.
 *
 * @throws ProgramError if a position repeats, or the list has more than 10 000 pages or a million entries: it may never end.
 */
export async function* entriesOf<Entry, Position extends string | number>(
  start: Position,
  load: (position: Position) => Promise<Page<Entry, Position>>,
): AsyncGenerator<Entry> {
  const seen = new Set<Position>();
  let count = 0;
  for (let position: Position | undefined = start; position !== undefined; ) {
    if (seen.has(position)) throw endless("it sent the same position twice");
    if (seen.size === mostPages) throw endless(`it has more than ${mostPages} pages`);
    seen.add(position);
    const { entries, next }: Page<Entry, Position> = await load(position);
    count += entries.length;
    if (count > mostEntries) throw endless(`it has more than ${mostEntries} entries`);
    yield* entries;
    position = next;
  }
}

function endless(why: string): ProgramError {
  return new ProgramError(`The list of the server does not end: ${why}. Ask the operator of the server.`);
}
