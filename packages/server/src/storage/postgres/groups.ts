/** Finds out which calls of a batch depend on each other. */
export interface Groups {
  /** Records that a call has read a row. */
  read(call: number, row: string): void;
  /** Records that a call has written a row. */
  wrote(call: number, row: string): void;
  /** Returns the group of a call: the smallest number of its calls. */
  of(call: number): number;
}

/** Creates the groups of a batch: a call belongs to the group of every call whose writes it has read or replaced. */
export function createGroups(size: number): Groups {
  const parents = Array.from({ length: size }, (_, index) => index);
  const writers = new Map<string, number>();

  const rootOf = (call: number): number => {
    let root = call;
    for (let parent = parents[root] ?? root; parent !== root; parent = parents[root] ?? root) root = parent;
    return root;
  };
  const join = (call: number, row: string): void => {
    const writer = writers.get(row);
    if (writer === undefined) return;
    const [a, b] = [rootOf(call), rootOf(writer)];
    parents[Math.max(a, b)] = Math.min(a, b);
  };

  return {
    read: join,
    wrote(call, row) {
      join(call, row);
      writers.set(row, call);
    },
    of: rootOf,
  };
}
