import { create, createFileRegistry, type FileRegistry, fromJson, toBinary } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";
import type { Contract, Encode, Field, Message } from "../contract.ts";

const imports = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
].map(({ proto }) => proto);

/** Descriptors of all messages, in one file without a package: there names have no dots. */
export function descriptorsOf({ messages, enums }: Pick<Contract, "messages" | "enums">): FileRegistry {
  const file = create(FileDescriptorProtoSchema, {
    name: "contract.proto",
    syntax: "proto3",
    dependency: imports.map(({ name }) => name),
    messageType: [...messages.values()].map(descriptorOf),
    enumType: [...enums.values()].map(({ name, values }) => ({
      name: localName(name),
      value: values.map((value) => ({ name: value.name, number: value.number })),
    })),
  });
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...imports, file] }));
}

function descriptorOf({ name, fields }: Message) {
  const maps = fields.filter(({ shape }) => shape === "map");
  return {
    name: localName(name),
    field: fields.map((field) => ({
      name: field.name,
      jsonName: field.jsonName,
      number: field.number,
      label: isRepeated(field) ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
      ...(field.shape === "map"
        ? { type: FieldDescriptorProto_Type.MESSAGE, typeName: `.${localName(name)}.${entryName(field)}` }
        : typeOf(field.type)),
    })),
    nestedType: maps.map((field) => ({
      name: entryName(field),
      options: { mapEntry: true },
      field: [
        { name: "key", jsonName: "key", number: 1, ...typeOf({ kind: "scalar", name: field.keyType ?? "string" }) },
        { name: "value", jsonName: "value", number: 2, ...typeOf(field.type) },
      ],
    })),
  };
}

function typeOf({ kind, name }: Field["type"]) {
  if (kind === "message") return { type: FieldDescriptorProto_Type.MESSAGE, typeName: `.${localName(name)}` };
  if (kind === "enum") return { type: FieldDescriptorProto_Type.ENUM, typeName: `.${localName(name)}` };
  const [, type] = Object.entries(FieldDescriptorProto_Type).find(([key]) => key === name.toUpperCase()) ?? [];
  if (typeof type !== "number") throw new TypeError(`protobuf has no scalar type ${name}`);
  return { type };
}

/** Creates an encoder for the messages of a contract without an image. */
export function testEncoder(contract: Pick<Contract, "messages" | "enums">): Encode {
  return (name, json) => {
    const registry = descriptorsOf(contract);
    const schema = registry.getMessage(localName(name));
    if (schema === undefined) throw new TypeError(`the contract does not contain the message ${name}`);
    return toBinary(schema, fromJson(schema, json, { registry }));
  };
}

export function localName(name: string): string {
  return name.startsWith("google.protobuf.") ? name : name.replaceAll(".", "_");
}

function isRepeated({ shape }: Field): boolean {
  return shape === "repeated" || shape === "map";
}

function entryName({ name }: Field): string {
  return `${name}Entry`;
}
