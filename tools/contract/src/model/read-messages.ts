import { type DescEnum, type DescExtension, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { Enum, EnumValue, Extension, Field, FieldType, Message, Oneof } from "./contract.ts";
import { optionNames, readOption, readRules, reasonOption, valueOption } from "./options.ts";
import type { SourceFile } from "./source-file.ts";
import type { Path } from "./source-text.ts";

/** Reads the messages of a file, nested ones after their parents. Whether they are sent is found out later. */
export function readMessages(file: SourceFile): readonly Message[] {
  return withNested(file).map(([message, path]) => ({
    name: message.typeName,
    package: file.desc.proto.package,
    ...documented(file, message, path),
    sent: false,
    received: false,
    fields: message.fields.map((field) =>
      readField(file, field, [...path, 2, message.proto.field.indexOf(field.proto)]),
    ),
    oneofs: message.oneofs.map((oneof): Oneof => {
      const { required } = readRules(oneof, file.registry);
      return {
        name: oneof.name,
        place: file.text.placeAt([...path, 8, message.proto.oneofDecl.indexOf(oneof.proto)]),
        fields: oneof.fields.map(({ jsonName }) => jsonName),
        required: required === true,
      };
    }),
    rules: readRules(message, file.registry),
  }));
}

/** Reads the enums of a file, those inside messages included. */
export function readEnums(file: SourceFile): readonly Enum[] {
  const ofMessages = withNested(file).flatMap(([message, path]) =>
    message.nestedEnums.map((nested, index): readonly [DescEnum, Path] => [nested, [...path, 4, index]]),
  );
  const ofFile = file.desc.enums.map((own, index): readonly [DescEnum, Path] => [own, [5, index]]);
  return [...ofFile, ...ofMessages].map(([desc, path]) => ({
    name: desc.typeName,
    package: file.desc.proto.package,
    ...documented(file, desc, path),
    values: desc.values.map((value, index) => readValue(file, value, [...path, 2, index])),
  }));
}

/** Reads the extensions that a file defines. */
export function readExtensions(file: SourceFile): readonly Extension[] {
  return file.desc.extensions.map((extension, index) => ({
    name: extension.typeName,
    ...documented(file, extension, [7, index]),
    extendee: extension.extendee.typeName,
    number: extension.number,
    type: typeOf(extension),
  }));
}

type Listed = readonly [DescMessage, Path];

function withNested({ desc }: SourceFile): readonly Listed[] {
  const nested = ([message, path]: Listed): readonly Listed[] => [
    [message, path],
    ...message.nestedMessages.flatMap((inner) =>
      nested([inner, [...path, 3, message.proto.nestedType.indexOf(inner.proto)]]),
    ),
  ];
  return desc.messages.flatMap((message, index) => nested([message, [4, index]]));
}

function documented({ text }: SourceFile, { deprecated }: { readonly deprecated: boolean }, path: Path) {
  return { place: text.placeAt(path), comment: text.commentAt(path), deprecated };
}

function readField(file: SourceFile, field: DescField, path: Path): Field {
  const values = readOption(field, optionNames.field, valueOption, file.registry);
  return {
    name: field.name,
    jsonName: field.jsonName,
    number: field.number,
    ...documented(file, field, path),
    type: typeOf(field),
    shape: shapeOf(field),
    keyType: field.fieldKind === "map" ? scalarName(field.mapKey) : undefined,
    oneof: field.oneof?.name,
    secret: field.proto.options?.debugRedact ?? false,
    documentedValues: values?.documentedValues ?? [],
    absentUntil: values?.absentUntil,
    example: values?.example,
    rules: readRules(field, file.registry),
  };
}

function shapeOf(field: DescField): Field["shape"] {
  if (field.fieldKind === "list") return "repeated";
  if (field.fieldKind === "map") return "map";
  return field.proto.proto3Optional ? "optional" : "singular";
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

function readValue(file: SourceFile, value: DescEnum["values"][number], path: Path): EnumValue {
  const option = readOption(value, optionNames.reason, reasonOption, file.registry);
  const extension = file.registry.getExtension(optionNames.reason);
  return {
    name: value.name,
    localName: value.localName,
    number: value.number,
    ...documented(file, value, path),
    reason: option && { ...option, optionPlaces: file.text.optionPlacesAt([...path, 3], extension) },
  };
}
