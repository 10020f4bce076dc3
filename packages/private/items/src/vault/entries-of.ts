/** The most pages, and entries, of one list: far more than the vaults of a person have. */
const [mostPages, mostEntries] = [10_000, 1_000_000];

export interface Page<Entry, Position> {
  readonly entries: readonly Entry[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: Position | undefined;
}

/**
 * Yields the entries of a list, page by page. A server that lies could let it never end.
 *
 * @throws ListError, with sentences for people, if a position repeats, or the list has more than 10 000 pages or a million entries
 */
export async function* entriesOf<Entry, Position extends string | number>(
  start: Position,
  ListError: new (message: string) => Error,
  load: (position: Position) => Promise<Page<Entry, Position>>,
): AsyncGenerator<Entry> {
  const seen = new Set<Position>();
  let count = 0;
  for (let position: Position | undefined = start; position !== undefined; ) {
    if (seen.has(position)) throw new ListError(endless("it sent the same position twice"));
    if (seen.size === mostPages) throw new ListError(endless(`it has more than ${mostPages} pages`));
    seen.add(position);
    const { entries, next }: Page<Entry, Position> = await load(position);
    count += entries.length;
    if (count > mostEntries) throw new ListError(endless(`it has more than ${mostEntries} entries`));
    yield* entries;
    position = next;
  }
}

function endless(why: string): string {
  return `The list of the server does not end: ${why}. Ask the operator of the server.`;
}
