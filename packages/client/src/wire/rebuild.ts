/**
 * The fields of a message in JSON, each with its default; a list and a map have the shape of one element. Fields that are
 * messages are required. A function returns the shape of an optional field. `null` matches any JSON.
 */
export type Shape<T> = unknown extends T
  ? unknown
  : undefined extends T
    ? () => Shape<NonNullable<T>>
    : T extends readonly (infer Element)[]
      ? readonly [Shape<Element>]
      : T extends object
        ? string extends keyof T
          ? ReadonlyMap<"", Shape<T[keyof T]>>
          : { readonly [Field in keyof T]-?: Shape<T[Field]> }
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
    const elements = Array.isArray(value) && value.map((element) => rebuild<unknown>(shape[0], element));
    return elements && !elements.includes(undefined) ? elements : undefined;
  }
  if (shape === null) return value;
  if (shape instanceof Map) return rebuildMap(shape.get(""), value);
  if (!isMessage(shape)) return typeof value === typeof shape ? value : undefined;
  if (!isMessage(value)) return undefined;
  const rebuilt: Record<string, unknown> = {};
  for (const [field, part] of Object.entries(shape)) {
    const isOptional = typeof part === "function";
    if (isOptional && (value[field] ?? undefined) === undefined) continue;
    rebuilt[field] = rebuild<unknown>(isOptional ? part() : part, value[field] ?? absenceOf(part));
    if (rebuilt[field] === undefined) return undefined;
  }
  return rebuilt;
}

function rebuildMap(shape: unknown, value: unknown): unknown {
  if (!isMessage(value)) return undefined;
  const rebuilt = Object.entries(value).map(([key, each]) => [key, rebuild<unknown>(shape, each)]);
  return rebuilt.some(([, each]) => each === undefined) ? undefined : Object.fromEntries(rebuilt);
}

/** What stands for a field that a message does not have. */
function absenceOf(shape: unknown): unknown {
  if (Array.isArray(shape)) return [];
  if (shape instanceof Map) return {};
  return isMessage(shape) ? undefined : shape;
}
