/** Stands for any time in an empty message. */
export const someTime = "1970-01-01T00:00:00Z";

/**
 * Whether a value has the fields of a message in JSON, as `empty` shows them: each with the value that stands for its
 * absence. Puts those in where the value has none, so that what is promised to be present is. A list shows one element.
 * Messages and timestamps, for which nothing stands, must be there; unknown fields may.
 */
export function fillIn<T>(empty: T, value: unknown): value is T {
  if (Array.isArray(empty)) return Array.isArray(value) && value.every((element) => fillIn(empty[0], element));
  if (isObject(empty)) {
    return (
      isObject(value) &&
      !Array.isArray(value) &&
      Object.entries(empty).every(([name, standsFor]) => {
        value[name] ??= Array.isArray(standsFor)
          ? []
          : isObject(standsFor) || standsFor === someTime
            ? undefined
            : standsFor;
        return fillIn(standsFor, value[name]);
      })
    );
  }
  if (typeof value === "number") return typeof empty === "number" && value >>> 0 === value;
  return typeof value === typeof empty && (empty !== someTime || !Number.isNaN(Date.parse(String(value))));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
