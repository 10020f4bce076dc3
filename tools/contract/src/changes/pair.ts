/** What two records of the same things have in common, and what only one of them has. */
export function pair<Value>(released: Readonly<Record<string, Value>>, today: Readonly<Record<string, Value>>) {
  const before = new Map(Object.entries(released));
  const after = new Map(Object.entries(today));
  return {
    removed: [...before].filter(([name]) => !after.has(name)),
    added: [...after].filter(([name]) => !before.has(name)),
    kept: [...before].flatMap(([name, was]) => {
      const is = after.get(name);
      return is === undefined ? [] : [{ name, was, is }];
    }),
  };
}

/** The members that only one of two lists has. */
export function differences(released: readonly string[] = [], today: readonly string[] = []) {
  return {
    removed: released.filter((value) => !today.includes(value)),
    added: today.filter((value) => !released.includes(value)),
  };
}
