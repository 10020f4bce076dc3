import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";

type Converter = StandardSchemaWithJSON["~standard"]["jsonSchema"]["input"];

/** Returns a schema whose JSON Schema is created once: the SDK creates it with each request, because each has a separate server. */
export function convertedOnce<Input, Output>(
  schema: StandardSchemaWithJSON<Input, Output>,
): StandardSchemaWithJSON<Input, Output> {
  const { "~standard": standard } = schema;
  const { input, output } = standard.jsonSchema;
  return { "~standard": { ...standard, jsonSchema: { input: once(input), output: once(output) } } };
}

function once(convert: Converter): Converter {
  const converted = new Map<string, ReturnType<Converter>>();
  return (options) => {
    const { target } = options;
    const found = converted.get(target) ?? frozen(convert(options));
    converted.set(target, found);
    return found;
  };
}

function frozen<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === "object" && part !== null) frozen(part);
  return Object.freeze(value);
}
