import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** The versions of JSON Schema by which tools validate. OpenAPI 3.1 uses 2020-12; Prism validates by an older one. */
export type SchemaVersion = "2020-12" | "2019-09" | "draft-07";

/** Creates a function that reports why a value does not match a schema of a document, or null when it does. */
export function createSchemaChecker(document: JsonObject, version: SchemaVersion = "2020-12") {
  const strict = { strictTuples: false, strictTypes: false, strictRequired: false };
  const ajv =
    version === "2020-12"
      ? new Ajv2020({ allErrors: true, ...strict })
      : new (version === "2019-09" ? Ajv2019 : Ajv)({ allErrors: true, strict: false });
  addFormats.default(ajv);
  ajv.addVocabulary(["components", "externalDocs"]);
  ajv.addSchema({ $id: "openapi", components: { schemas: at(document, "components", "schemas") ?? {} } });
  return (schema: JsonObject, value: JsonValue): unknown => {
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll("#/components", "openapi#/components")));
    validate(value);
    return validate.errors;
  };
}

export function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, key) => objectIn(inner)[key], value);
}

/** A JSON value if it is an object, otherwise an empty one. */
export function objectIn(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

export interface Example {
  readonly name: string;
  readonly schema: JsonObject;
  readonly value: JsonValue;
}

/** Returns every example next to a schema, anywhere in the document. */
export function examplesIn(value: JsonValue, path = ""): readonly Example[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => examplesIn(each, `${path}/${index}`));
  const { schema, examples, example, ...others } = objectIn(value);
  const named = Object.entries(objectIn(examples)).map(([name, held]) => [name, at(held, "value") ?? null] as const);
  const all = example === undefined ? named : [...named, ["example", example] as const];
  return [
    ...(schema === undefined ? [] : all).map(([name, shown]) => ({
      name: `${path}/${name}`.replace(/.*\.v1\.\w+\/|post\/|responses\/|content\/application\/json\//g, ""),
      schema: objectIn(schema),
      value: shown,
    })),
    ...Object.entries(others).flatMap(([key, each]) => examplesIn(each, `${path}/${key}`)),
  ];
}
