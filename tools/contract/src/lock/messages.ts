import { type DescField, type DescMessage, type FileRegistry, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as FieldPresence } from "@bufbuild/protobuf/wkt";
import { commentOf, documentedValues } from "../openapi/comment.ts";
import { optionOf } from "../openapi/option.ts";
import { digest } from "./digest.ts";
import { flatten } from "./flatten.ts";
import type { LockedField, LockedMessage } from "./schema.ts";
import { sorted } from "./sorted.ts";

/** What callers rely on of a message. */
export function lockMessage(message: DescMessage, sent: boolean, contract: FileRegistry): LockedMessage {
  return {
    sent,
    constraints: flatten({
      ...optionOf(message, "buf.validate.message", contract),
      ...Object.fromEntries(
        message.oneofs.map((oneof) => [oneof.name, optionOf(oneof, "buf.validate.oneof", contract)]),
      ),
    }),
    comment: digest(commentOf(message), ...message.fields.map(commentOf)),
    fields: sorted(message.fields.map((field) => [field.jsonName, lockField(field, contract)])),
  };
}

function lockField(field: DescField, contract: FileRegistry): LockedField {
  const values = [...documentedValues(commentOf(field))].sort();
  return {
    number: field.number,
    type: typeOf(field),
    presence: mayBeAbsent(field) ? "optional" : "always",
    constraints: flatten(optionOf(field, "buf.validate.field", contract)),
    ...(values.length > 0 && { documentedValues: values }),
  };
}

/** Answers hold every field, unless protobuf's `optional` or the comment says when it is absent. */
function mayBeAbsent(field: DescField): boolean {
  const tracksPresence = field.fieldKind !== "message" && field.presence === FieldPresence.EXPLICIT;
  return tracksPresence || /\bAbsent unless\b/.test(commentOf(field));
}

function typeOf(field: DescField): string {
  switch (field.fieldKind) {
    case "list":
      return `repeated ${elementOf(field)}`;
    case "map":
      return `map<${ScalarType[field.mapKey].toLowerCase()}, ${elementOf(field)}>`;
    default:
      return elementOf(field);
  }
}

function elementOf({ message, enum: enumeration, scalar }: DescField): string {
  if (scalar !== undefined) return ScalarType[scalar].toLowerCase();
  return message?.typeName ?? enumeration?.typeName ?? "unknown";
}
