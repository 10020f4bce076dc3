/** The fields of a message in JSON, each with its default. Fields that are messages are required. */
export type Shape<T> = T extends readonly (infer Element)[]
  ? readonly [Shape<Element>]
  : T extends object
    ? { readonly [Field in keyof T]: Shape<T[Field]> }
    : T;

const isMessage = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Rebuilds a value from the fields of a shape, in which a list has one element. Adds the defaults of fields that the value lacks,
 * and drops members that the shape does not have: the sender chose their names. Undefined when a field has another type.
 */
export function rebuild<T>(shape: Shape<T>, value: unknown): T | undefined;
export function rebuild(shape: unknown, value: unknown): unknown {
  if (Array.isArray(shape)) {
    const elements = Array.isArray(value) && value.map((element) => rebuild(shape[0], element));
    return elements && !elements.includes(undefined) ? elements : undefined;
  }
  if (!isMessage(shape)) return typeof value === typeof shape ? value : undefined;
  if (!isMessage(value)) return undefined;
  const rebuilt: Record<string, unknown> = {};
  for (const [field, part] of Object.entries(shape)) {
    const absent = Array.isArray(part) ? [] : isMessage(part) ? undefined : part;
    rebuilt[field] = rebuild(part, value[field] ?? absent);
    if (rebuilt[field] === undefined) return undefined;
  }
  return rebuilt;
}
