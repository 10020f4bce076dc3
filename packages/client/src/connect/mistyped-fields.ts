import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { FieldViolation } from "../error/platform-error.js";

/**
 * Returns the fields whose type differs from the contract's. Only callers without TypeScript can pass them. Checked before
 * encoding, because the error messages of encoding contain the value.
 */
export function mistypedFields<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): FieldViolation[] {
  const given = reflect(schema, message, false);
  const checked = reflect(schema, create(schema));
  return schema.fields
    .filter((field) => {
      try {
        if (given.isSet(field)) checked.set(field, given.get(field));
        return false;
      } catch {
        return true;
      }
    })
    .map(({ jsonName }) => ({ field: jsonName, description: "has another type than in the contract" }));
}
