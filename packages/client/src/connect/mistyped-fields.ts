import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { FieldViolation } from "../error/platform-error.js";

/**
 * The fields that do not have the type that the contract gives them, as only callers without TypeScript can send them.
 * Found here, because the errors of encoding repeat what they were given.
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
    .map(({ jsonName }) => ({ field: jsonName, description: "does not have the type that the contract gives it" }));
}
