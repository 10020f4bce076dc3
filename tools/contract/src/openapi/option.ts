import {
  type DescEnumValue,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type FileRegistry,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import {
  EnumValueOptionsSchema,
  FieldOptionsSchema,
  MessageOptionsSchema,
  MethodOptionsSchema,
  OneofOptionsSchema,
} from "@bufbuild/protobuf/wkt";

type Optioned = DescEnumValue | DescField | DescMessage | DescMethod | DescOneof;

/** An option that a descriptor carries, as JSON: there is no generated code for it here. Empty when it is not set. */
export function optionOf(desc: Optioned, extension: string, contract: FileRegistry): JsonObject {
  return objectIn(optionsOf(desc, contract)[`[${extension}]`]);
}

/** A JSON value if it is an object, otherwise an empty one. */
export function objectIn(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function optionsOf(desc: Optioned, registry: FileRegistry): JsonObject {
  switch (desc.kind) {
    case "enum_value":
      return desc.proto.options ? objectIn(toJson(EnumValueOptionsSchema, desc.proto.options, { registry })) : {};
    case "field":
      return desc.proto.options ? objectIn(toJson(FieldOptionsSchema, desc.proto.options, { registry })) : {};
    case "message":
      return desc.proto.options ? objectIn(toJson(MessageOptionsSchema, desc.proto.options, { registry })) : {};
    case "oneof":
      return desc.proto.options ? objectIn(toJson(OneofOptionsSchema, desc.proto.options, { registry })) : {};
    case "rpc":
      return desc.proto.options ? objectIn(toJson(MethodOptionsSchema, desc.proto.options, { registry })) : {};
  }
}
