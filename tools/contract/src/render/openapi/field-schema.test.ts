import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import type { FieldType } from "../../model/contract.ts";
import type { Rules } from "../../model/options.ts";
import { testContract, testEnum, testEnumValue, testField, testMessage } from "../../model/testing/test-contract.ts";
import { createSchemaChecker } from "../testing/schema-checker.ts";
import { isRenderable } from "./constraints.ts";
import { fieldSchema } from "./field-schema.ts";
import { isRequired } from "./schemas.ts";

const kind: FieldType = { kind: "enum", name: "platform.v1.Kind" };
const wkt = (name: string): FieldType => ({ kind: "message", name: `google.protobuf.${name}` });
const contract = testContract({
  enums: [
    testEnum(
      "platform.v1.Kind",
      ["KIND_NONE", "KIND_A", "KIND_B"].map((name) => testEnumValue(name)),
    ),
  ],
});
const faultsOf = createSchemaChecker({});
const refer = () => ({ type: "string", enum: ["KIND_NONE", "KIND_A", "KIND_B"] });

describe("each rule of buf.validate applies to requests, and determines whether a field is required", () => {
  it.each<[type: string | FieldType, rules: Rules, right: JsonValue, wrong: JsonValue, required: boolean]>([
    ["string", { "string.min_len": 2 }, "ab", "a", true],
    ["string", { "string.max_bytes": 2 }, "ab", "abc", false],
    ["string", { "string.pattern": "^a*$" }, "aa", "b", false],
    ["string", { "string.in": ["a", "b"] }, "b", "c", true],
    ["uint32", { "uint32.gte": 1 }, 1, 0, true],
    ["uint32", { "uint32.gt": 1 }, 2, 1, true],
    ["int32", { "int32.not_in": [0] }, 1, 0, true],
    ["int32", { "int32.const": 7 }, 7, 8, true],
    ["bool", { "bool.const": true }, true, false, true],
    [wkt("Timestamp"), { required: true }, "2026-01-15T09:30:00Z", "", true],
    ["string", { required: true }, "a", "", true],
    [kind, { required: true }, "KIND_A", "KIND_NONE", true],
  ])("%o %o", (type, rules, right, wrong, required) => {
    const field = testField("value", type, { rules });
    const message = testMessage("platform.v1.CallRequest", [field]);
    const schema = fieldSchema(field, "request", contract, refer);
    expect(faultsOf(schema, right)).toBeNull();
    expect(faultsOf(schema, wrong)).not.toBeNull();
    expect(isRequired(field, message, "request", contract)).toBe(required);
    expect(isRequired({ ...field, shape: "optional" }, message, "request", contract)).toBe("required" in rules);
    expect(isRequired({ ...field, oneof: "choice" }, message, "request", contract)).toBe("required" in rules);
    expect(Object.keys(rules).every(isRenderable)).toBe(true);
    // Responses may grow values: callers tolerate them.
    expect(fieldSchema(field, "response", contract, refer)).toEqual(
      fieldSchema({ ...field, rules: {} }, "response", contract, refer),
    );
  });

  it.each<[shape: "repeated" | "map", rules: Rules, right: JsonValue, wrong: JsonValue, required: boolean]>([
    ["repeated", { "repeated.min_items": 1 }, ["a"], [], true],
    ["repeated", { "repeated.unique": true }, ["a", "b"], ["a", "a"], false],
    ["repeated", { "repeated.items.string.max_len": 1 }, ["a"], ["aa"], false],
    ["repeated", { required: true }, ["a"], [], true],
    ["map", { "map.keys.string.max_len": 1 }, { a: "b" }, { aa: "b" }, false],
    ["map", { "map.values.string.min_len": 1 }, { a: "b" }, { a: "" }, false],
  ])("%s %o", (shape, rules, right, wrong, required) => {
    const field = testField("value", "string", { shape, rules, keyType: shape === "map" ? "string" : undefined });
    const schema = fieldSchema(field, "request", contract, refer);
    expect([faultsOf(schema, right), faultsOf(schema, wrong) === null]).toEqual([null, false]);
    expect(isRequired(field, testMessage("platform.v1.CallRequest", [field]), "request", contract)).toBe(required);
    expect(Object.keys(rules).every(isRenderable)).toBe(true);
  });

  it("shows the message of a CEL rule, which JSON Schema cannot check", () => {
    const field = testField("value", "string", {
      rules: { "cel[0].expression": "…", "cel[0].message": "must be odd" },
    });
    expect(fieldSchema(field, "request", contract, refer)).toMatchObject({ description: "A comment. Must be odd." });
  });

  it.each<[type: string, rules: Rules, finding: string]>([
    ["string", { "string.min_bytes": 1 }, "string.min_bytes"],
    ["string", { "string.pattern": "(?i)a" }, "(?i)a"],
    ["uint32", { "uint32.gt": 10, "uint32.lt": 5 }, "a uint32 below 4 or above 11"],
  ])("rejects what it cannot express instead of dropping it: %s %o", (type, rules, finding) => {
    const field = testField("value", type, { rules });
    expect(() => fieldSchema(field, "request", contract, refer)).toThrow(finding);
  });
});
