import { isDeepStrictEqual } from "node:util";

/**
 * Returns where a response differs from another, as paths such as `body.item.version`. Paths in `ignored` may differ, but must
 * be present in both.
 */
export function differences(expected: unknown, actual: unknown, ignored: readonly string[] = [], path = ""): string[] {
  if (ignored.includes(path) && expected !== undefined && actual !== undefined) return [];
  if (!isRecord(expected) || !isRecord(actual)) return isDeepStrictEqual(expected, actual) ? [] : [path];
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys].flatMap((key) =>
    differences(expected[key], actual[key], ignored, path === "" ? key : `${path}.${key}`),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
