import type { JsonObject } from "@bufbuild/protobuf";
import { objectIn } from "../openapi/option.ts";
import type { Constraints } from "./schema.ts";

/** Nested rules by their paths, sorted: `{string: {maxLen: "128"}}` is `{"string.maxLen": 128}`. */
export function flatten(rules: JsonObject): Constraints {
  return Object.fromEntries([...leaves(rules, "")].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function* leaves(rules: JsonObject, prefix: string): Generator<[string, Constraints[string]]> {
  for (const [name, value] of Object.entries(rules)) {
    const nested = objectIn(value);
    if (Object.keys(nested).length > 0) yield* leaves(nested, `${prefix}${name}.`);
    else yield [`${prefix}${name}`, plain(name, value)];
  }
}

/** The JSON of protobuf writes 64-bit numbers as strings. What is a text stays one, also if it looks like a number. */
function plain(name: string, value: Constraints[string]): Constraints[string] {
  const isText = /^(?:pattern|const|in|notIn|prefix|suffix|contains|notContains|ignore)$/.test(name);
  return !isText && typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
