import { type DescEnum, type DescExtension, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { Enum, Extension, Field, FieldType, Message } from "./contract.ts";
import { readOption, readRules } from "./options.ts";
import type { Source } from "./source.ts";

const explicit = FeatureSet_FieldPresence.EXPLICIT;

/** Reads the messages, enums and extensions of a file. Whether messages are sent is found out later. */
export function readTypes(source: Source) {
  const types = [...nestedTypes(source.desc)];
  return {
    messages: types.flatMap((desc) => (desc.kind === "message" ? [readMessage(source, desc)] : [])),
    enums: types.flatMap((desc) => (desc.kind === "enum" ? [readEnum(source, desc)] : [])),
    extensions: types.flatMap((desc) => (desc.kind === "extension" ? [readExtension(source, desc)] : [])),
  };
}

function readMessage(source: Source, desc: DescMessage): Message {
  return {
    name: desc.typeName,
    package: desc.file.proto.package,
    ...source.documented(desc),
    sent: false,
    received: false,
    fields: desc.fields.map((field) => readField(source, field)),
    oneofs: desc.oneofs.map((oneof) => {
      const { required } = readRules(oneof, source.registry);
      const fields = oneof.fields.map(({ jsonName }) => jsonName);
      return { name: oneof.name, place: source.documented(oneof).place, fields, required: required === true };
    }),
    rules: readRules(desc, source.registry),
  };
}

function readField(source: Source, field: DescField): Field {
  const { documentedValues = [], absentUntil, example } = readOption(field, "field", source.registry) ?? {};
  return {
    name: field.name,
    jsonName: field.jsonName,
    number: field.number,
    ...source.documented(field),
    type: typeOf(field),
    shape: shapeOf(field),
    keyType: field.fieldKind === "map" ? scalarName(field.mapKey) : undefined,
    oneof: field.oneof?.name,
    secret: field.proto.options?.debugRedact ?? false,
    documentedValues,
    absentUntil,
    example,
    rules: readRules(field, source.registry),
  };
}

function shapeOf(field: DescField): Field["shape"] {
  if (field.fieldKind === "list") return "repeated";
  if (field.fieldKind === "map") return "map";
  if (field.oneof !== undefined) return "singular";
  // A message always has presence: `optional` says only that it may be absent.
  const stated = field.proto.proto3Optional || field.proto.options?.features?.fieldPresence === explicit;
  const isOptional = field.message === undefined ? field.presence === explicit : stated;
  return isOptional ? "optional" : "singular";
}

/** The type of a field, of the entries of a list, or of the values of a map. */
function typeOf(field: DescField | DescExtension): FieldType {
  if (field.message !== undefined) return { kind: "message", name: field.message.typeName };
  if (field.enum !== undefined) return { kind: "enum", name: field.enum.typeName };
  return { kind: "scalar", name: scalarName(field.scalar) };
}

function scalarName(scalar: ScalarType): string {
  return ScalarType[scalar].toLowerCase();
}

function readEnum(source: Source, desc: DescEnum): Enum {
  return {
    name: desc.typeName,
    package: desc.file.proto.package,
    ...source.documented(desc),
    values: desc.values.map((value) => {
      const { name, localName, number } = value;
      const reason = readOption(value, "reason", source.registry);
      const optionPlaces = source.optionPlaces(value, "reason");
      return { name, localName, number, ...source.documented(value), reason: reason && { ...reason, optionPlaces } };
    }),
  };
}

function readExtension(source: Source, desc: DescExtension): Extension {
  const { typeName: name, extendee, number } = desc;
  return { name, ...source.documented(desc), extendee: extendee.typeName, number, type: typeOf(desc) };
}
