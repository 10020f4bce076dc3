import { type DescField, type FileRegistry, type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { fieldName, methodsOf, ownFiles, placeOf, requestMessages } from "../descriptors.ts";
import { objectIn, optionOf } from "../openapi/option.ts";
import type { Rule } from "./rule.ts";

/** Each of these says by itself how long a string can be. */
const bounds = ["maxLen", "len", "maxBytes", "lenBytes", "in", "const", "uuid"];

export const requestBounds: Rule = {
  id: "request-bounds",
  purpose: "Whatever callers can send has an upper bound, so that no request costs more than was thought of.",
  fix: "Give each string max_len or max_bytes (or `in`, `const`), each list max_items and, of strings, items.string.max_len.",
  *offences({ contract }) {
    const requests = requestMessages(methodsOf(ownFiles(contract)));
    for (const field of [...requests].flatMap((message) => message.fields)) {
      for (const fault of faultsOf(field, contract)) {
        yield { place: placeOf(field), message: `${fieldName(field)} ${fault}` };
      }
    }
  },
};

function* faultsOf(field: DescField, contract: FileRegistry): Generator<string> {
  const rules = optionOf(field, "buf.validate.field", contract);
  const { repeated, map } = rules;
  switch (field.fieldKind) {
    case "scalar":
      if (unbounded(field.scalar, rules)) yield "is a string of any length: give it max_len";
      return;
    case "list": {
      const { maxItems, items } = objectIn(repeated);
      if (maxItems === undefined) yield "is a list of any length: give it max_items";
      if (unbounded(field.scalar, objectIn(items))) yield "holds strings of any length: give it items.string.max_len";
      return;
    }
    case "map": {
      const { maxPairs } = objectIn(map);
      if (maxPairs === undefined) yield "is a map of any size: give it max_pairs";
    }
  }
}

function unbounded(scalar: ScalarType | undefined, rules: JsonObject): boolean {
  if (scalar !== ScalarType.STRING && scalar !== ScalarType.BYTES) return false;
  const ofType = objectIn(rules[scalar === ScalarType.STRING ? "string" : "bytes"]);
  return !bounds.some((bound) => ofType[bound] !== undefined);
}
