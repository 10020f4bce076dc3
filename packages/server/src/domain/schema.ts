/** Checks a value that was read from JSON, and returns it with its type. @throws TypeError that names the wrong member */
export type Schema<Value> = (value: unknown) => Value;

export const text = check("a text", (value) => typeof value === "string");
export const number = check("a number", (value) => typeof value === "number");

function check<Value>(expected: string, is: (value: unknown) => value is Value): Schema<Value> {
  return (value) => {
    if (is(value)) return value;
    throw new TypeError(`${value === undefined ? "is missing" : "has another type"}: ${expected} was expected`);
  };
}

/** What may be undefined: JSON leaves it out. */
export function optional<Value>(schema: Schema<Value>): Schema<Value | undefined> {
  return (value) => (value === undefined ? undefined : schema(value));
}

type Members<Value> = { readonly [Name in keyof Value]-?: Schema<Value[Name]> };

/** An object with these members. It may have others: another version may have written them. */
export function object<Value extends object>(members: Members<Value>): Schema<Value> {
  return (value) => {
    if (typeof value === "object" && value !== null && hasMembers(value, members)) return value;
    throw new TypeError("The value is not an object.");
  };
}

/** @throws TypeError that names the member */
function hasMembers<Value extends object>(value: object, members: Members<Value>): value is Value {
  const found = new Map<string, unknown>(Object.entries(value));
  for (const [name, schema] of Object.entries<Schema<unknown>>(members)) {
    try {
      schema(found.get(name));
    } catch (error) {
      throw new TypeError(`${name} ${error instanceof Error ? error.message : error}`);
    }
  }
  return true;
}
