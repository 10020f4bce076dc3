const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/**
 * Whether a value has the fields of a message in JSON, as `empty` shows them: each with the value that stands for its
 * absence. Puts those in where the value has none, so that what is promised to be present is. A list shows one element.
 * Messages and timestamps, for which nothing stands, must be there; unknown fields may.
 */
export function fillIn<T>(empty: T, value: unknown): value is T {
  if (Array.isArray(empty)) return Array.isArray(value) && value.every((element) => fillIn(empty[0], element));
  if (isObject(empty)) {
    if (!isObject(value) || Array.isArray(value)) return false;
    return Object.entries(empty).every(([name, standsFor]) => {
      value[name] ??= Array.isArray(standsFor) ? [] : isPlain(standsFor) ? standsFor : undefined;
      return fillIn(standsFor, value[name]);
    });
  }
  if (typeof empty === "number") return typeof value === "number" && value >= 0 && value >>> 0 === value;
  return typeof value === typeof empty && (isPlain(empty) || timestampPattern.test(String(value)));
}

/** Stands for any time in an empty message. */
export const someTime = "1970-01-01T00:00:00Z";

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isPlain(value: unknown): boolean {
  return !isObject(value) && value !== someTime;
}
