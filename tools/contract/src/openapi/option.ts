import {
  type DescEnumValue,
  type DescField,
  type DescMethod,
  type FileRegistry,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { EnumValueOptionsSchema, FieldOptionsSchema, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";

/** An option that a descriptor carries, as JSON: there is no generated code for it here. Empty when it is not set. */
export function optionOf(
  desc: DescEnumValue | DescField | DescMethod,
  extension: string,
  contract: FileRegistry,
): JsonObject {
  return objectIn(optionsOf(desc, contract)[`[${extension}]`]);
}

/** A JSON value if it is an object, otherwise an empty one. */
export function objectIn(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function optionsOf(desc: DescEnumValue | DescField | DescMethod, registry: FileRegistry): JsonObject {
  switch (desc.kind) {
    case "enum_value":
      return desc.proto.options ? objectIn(toJson(EnumValueOptionsSchema, desc.proto.options, { registry })) : {};
    case "field":
      return desc.proto.options ? objectIn(toJson(FieldOptionsSchema, desc.proto.options, { registry })) : {};
    case "rpc":
      return desc.proto.options ? objectIn(toJson(MethodOptionsSchema, desc.proto.options, { registry })) : {};
  }
}
