/** Checks a value that was read from JSON, and returns it with its type. @throws TypeError that names the wrong member */
export type Schema<Value> = (value: unknown) => Value;

export const text = check("a text", (value) => typeof value === "string");
export const number = check("a number", (value) => typeof value === "number");
export const flag = check("true or false", (value) => typeof value === "boolean");
export const texts = list(text);

export function list<Value>(schema: Schema<Value>): Schema<readonly Value[]> {
  return (value) => {
    if (Array.isArray(value)) return value.map(schema);
    throw new TypeError("has another type: a list was expected");
  };
}

export function word<Word extends string>(...words: readonly Word[]): Schema<Word> {
  return (value) => {
    const found = words.find((each) => each === value);
    if (found !== undefined) return found;
    throw new TypeError(`must be one of ${words.join(", ")}`);
  };
}

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
  const schemas = Object.entries<Schema<unknown>>(members);
  return (value) => {
    if (typeof value === "object" && value !== null && hasMembers<Value>(value, schemas)) return value;
    throw new TypeError("The value is not an object.");
  };
}

/** @throws TypeError that names the member */
function hasMembers<Value extends object>(
  value: object,
  schemas: readonly (readonly [name: string, schema: Schema<unknown>])[],
): value is Value {
  for (const [name, schema] of schemas) {
    try {
      schema(Reflect.get(value, name));
    } catch (error) {
      throw new TypeError(`${name} ${error instanceof Error ? error.message : error}`);
    }
  }
  return true;
}
