/** A record of some entries, sorted by name: a lock must not depend on where something stands in a file. */
export function sorted<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}
