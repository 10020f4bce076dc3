import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { fieldName, isPublished, messagesOf, ownFiles, placeOf } from "../descriptors.ts";
import type { Rule } from "./rule.ts";

const troubled: ReadonlyMap<ScalarType, string> = new Map([
  ...[ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64].map(
    (type) => [type, "prints as a JSON string, which breaks === and > in callers: use uint32"] as const,
  ),
  ...[ScalarType.FLOAT, ScalarType.DOUBLE].map(
    (type) => [type, 'rounds, and prints "NaN" and "Infinity" as JSON strings: use uint32 in a small unit'] as const,
  ),
  [ScalarType.BYTES, "is base64 with padding in JSON: use a string, base64url without padding"],
]);

export const jsonTypes: Rule = {
  id: "json-types",
  purpose: "Every value of a public message is in JSON what it looks like: the interface speaks nothing else.",
  fix: "uint32 for numbers, string for bytes (base64url without padding), google.protobuf.Timestamp for times.",
  *offences({ contract }) {
    for (const field of messagesOf(ownFiles(contract).filter(isPublished)).flatMap((message) => message.fields)) {
      for (const scalar of scalarsOf(field)) {
        const trouble = troubled.get(scalar);
        if (trouble === undefined) continue;
        yield {
          place: placeOf(field),
          message: `${fieldName(field)} is ${ScalarType[scalar].toLowerCase()}, which ${trouble}`,
        };
      }
    }
  },
};

function scalarsOf(field: DescField): readonly ScalarType[] {
  const values = field.scalar === undefined ? [] : [field.scalar];
  return field.fieldKind === "map" ? [field.mapKey, ...values] : values;
}

export const timestampNames: Rule = {
  id: "timestamp-names",
  purpose: "A time is named `…_at` and is a Timestamp, and nothing else is named so: callers know one by its name.",
  fix: "Name google.protobuf.Timestamp fields `created_at`, `expires_at` and so on; name durations by their unit, as `expires_in_seconds`.",
  *offences({ contract }) {
    for (const field of messagesOf(ownFiles(contract)).flatMap((message) => message.fields)) {
      const isTime = field.message?.typeName === "google.protobuf.Timestamp";
      if (isTime === field.name.endsWith("_at")) continue;
      const wrong = isTime ? "is a Timestamp: name it …_at" : "is named as a time: make it a google.protobuf.Timestamp";
      yield { place: placeOf(field), message: `${fieldName(field)} ${wrong}` };
    }
  },
};
