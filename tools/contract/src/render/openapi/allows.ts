import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Reports whether a schema without references allows a value. */
export function allows(schema: JsonObject, value: JsonValue): boolean {
  return ajv.validate(schema, value);
}
