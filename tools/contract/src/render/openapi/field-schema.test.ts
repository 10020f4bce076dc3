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

describe("the JSON of each type: https://protobuf.dev/programming-guides/json", () => {
  it.each<[type: string | FieldType, right: readonly JsonValue[], wrong: readonly JsonValue[]]>([
    ["int32", [0, -2147483648, 2147483647], [1.5, 2147483648, "1", null]],
    ["sfixed32", [-1], [-2147483649]],
    ["uint32", [0, 4294967295], [-1, 4294967296, "1"]],
    ["fixed32", [1], [-1]],
    ["int64", ["-1", "9223372036854775807"], [1, "1.5", ""]],
    ["uint64", ["0"], ["-1", 0]],
    ["float", [1.5, "NaN", "Infinity", "-Infinity"], ["1.5", "nan", true]],
    ["double", [-1e300, "NaN"], [null]],
    ["bool", [true], ["true", 1]],
    ["string", [""], [1]],
    ["bytes", ["", "AAEC", "AA==", "+/8="], ["-_8=", "a b", 1]],
    [kind, ["KIND_A"], ["A", 1]],
    [wkt("Timestamp"), ["2026-01-15T09:30:00.250Z"], ["yesterday", 0]],
    [wkt("Duration"), ["1s", "-0.5s"], ["1m", 1]],
    [wkt("FieldMask"), ["a,b.c"], [["a"]]],
    [wkt("Empty"), [{}], [[]]],
    [wkt("Struct"), [{ a: [1, null] }], ["a"]],
    [wkt("Value"), [null, 1, "a", {}], []],
    [wkt("ListValue"), [[1, "a"]], [{}]],
    [wkt("Any"), [{ "@type": "x/y", a: 1 }], [{}]],
    [wkt("NullValue"), [null], [0]],
    [wkt("UInt32Value"), [1], [{ value: 1 }]],
    [wkt("Int64Value"), ["1"], [1]],
    [wkt("BoolValue"), [true], ["true"]],
  ])("%o", (type, right, wrong) => {
    const schema = fieldSchema(testField("value", type), "response", contract, refer);
    for (const value of right) expect(faultsOf(schema, value)).toBeNull();
    for (const value of wrong) expect(faultsOf(schema, value)).not.toBeNull();
    const list = fieldSchema(testField("values", type, { shape: "repeated" }), "response", contract, refer);
    expect(faultsOf(list, [...right])).toBeNull();
  });

  it.each<[keyType: string, right: string, wrong: string]>([
    ["string", "any", ""],
    ["bool", "true", "yes"],
    ["int32", "-1", "1.5"],
    ["uint64", "1", "-1"],
  ])("the keys of a map are strings: %s", (keyType, right, wrong) => {
    const schema = fieldSchema(testField("map", "bool", { shape: "map", keyType }), "response", contract, refer);
    expect(faultsOf(schema, { [right]: true })).toBeNull();
    if (keyType !== "string") expect(faultsOf(schema, { [wrong]: true })).not.toBeNull();
    expect(faultsOf(schema, { [right]: 1 })).not.toBeNull();
  });

  it("requests may send an enum by number and bytes as base64url", () => {
    const sent = fieldSchema(testField("kind", kind), "request", contract, refer);
    expect([faultsOf(sent, "KIND_A"), faultsOf(sent, 1), faultsOf(sent, 99)]).toEqual([null, null, null]);
    expect(faultsOf(sent, "OTHER")).not.toBeNull();
    expect(faultsOf(fieldSchema(testField("raw", "bytes"), "request", contract, refer), "-_8")).toBeNull();
  });

  it("rejects a type that has no schema", () => {
    const field = testField("value", { kind: "message", name: "google.protobuf.Api" });
    expect(() => fieldSchema(field, "response", contract, refer)).toThrow("google.protobuf.Api");
  });
});

describe("each rule of buf.validate applies to requests, and determines whether a field is required", () => {
  const uuid = "01980f6e-7d2c-7b43-9f1e-5a6b7c8d9e0f";
  it.each<[type: string | FieldType, rules: Rules, right: JsonValue, wrong: JsonValue, required: boolean]>([
    ["string", { "string.const": "a" }, "a", "b", true],
    ["string", { "string.min_len": 2 }, "ab", "a", true],
    ["string", { "string.max_len": 2 }, "ab", "abc", false],
    ["string", { "string.max_bytes": 2 }, "ab", "abc", false],
    ["string", { "string.len": 2 }, "ab", "a", true],
    ["string", { "string.pattern": "^a*$" }, "aa", "b", false],
    ["string", { "string.prefix": "a." }, "a.b", "ab", true],
    ["string", { "string.suffix": ".a" }, "b.a", "ba", true],
    ["string", { "string.contains": "a" }, "bab", "b", true],
    ["string", { "string.not_contains": "a" }, "b", "bab", false],
    ["string", { "string.in": ["a", "b"] }, "b", "c", true],
    ["string", { "string.not_in": ["a"] }, "b", "a", false],
    ["string", { "string.email": true }, "a@b.example", "a", true],
    ["string", { "string.hostname": true }, "b.example", "-", true],
    ["string", { "string.ipv4": true }, "192.0.2.1", "192", true],
    ["string", { "string.ipv6": true }, "2001:db8::1", "1", true],
    ["string", { "string.uri": true }, "https://b.example/", "b", true],
    ["string", { "string.uri_ref": true }, "/a", "a b", false],
    ["string", { "string.uuid": true }, uuid, "a", true],
    ["string", { "string.prefix": "a", "string.suffix": "z", "string.pattern": "^.{2,3}$" }, "a-z", "a--z", true],
    ["bytes", { "bytes.min_len": 2 }, "AAE=", "AA", true],
    ["bytes", { "bytes.max_len": 3 }, "AAEC", "AAECAw==", false],
    ["uint32", { "uint32.gte": 1 }, 1, 0, true],
    ["uint32", { "uint32.gt": 1 }, 2, 1, true],
    ["int32", { "int32.lte": 1 }, 1, 2, false],
    ["sint32", { "sint32.lt": 1 }, 0, 1, false],
    ["fixed32", { "fixed32.in": [1, 2] }, 2, 3, true],
    ["int32", { "int32.not_in": [0] }, 1, 0, true],
    ["int32", { "int32.const": 7 }, 7, 8, true],
    ["int64", { "int64.gte": 1 }, "1", "0", true],
    ["int64", { "int64.gt": -1 }, "0", "-1", false],
    ["uint64", { "uint64.in": [1, 2] }, "2", "3", true],
    ["float", { "float.finite": true }, 1.5, "NaN", false],
    ["double", { "double.gt": 0, "double.lt": 1 }, 0.5, 1, true],
    ["bool", { "bool.const": true }, true, false, true],
    [kind, { "enum.defined_only": true }, 2, 3, false],
    [kind, { "enum.not_in": [0] }, "KIND_A", "KIND_NONE", true],
    [kind, { "enum.in": [1] }, "KIND_A", "KIND_B", true],
    [kind, { "enum.const": 1 }, 1, 2, true],
    [wkt("StringValue"), { "string.min_len": 1 }, "a", "", false],
    [wkt("Timestamp"), { required: true }, "2026-01-15T09:30:00Z", "", true],
    ["string", { required: true }, "a", "", true],
    ["int32", { required: true, "int32.not_in": [1] }, 2, 0, true],
    [kind, { required: true }, "KIND_A", "KIND_NONE", true],
    ["string", { "string.min_len": 2, ignore: "IGNORE_IF_ZERO_VALUE" }, "", "a", false],
    ["string", { "string.email": true, ignore: "IGNORE_IF_ZERO_VALUE" }, "", "a", false],
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
    ["repeated", { "repeated.max_items": 1 }, ["a"], ["a", "b"], false],
    ["repeated", { "repeated.unique": true }, ["a", "b"], ["a", "a"], false],
    ["repeated", { "repeated.items.string.max_len": 1 }, ["a"], ["aa"], false],
    ["repeated", { required: true }, ["a"], [], true],
    ["map", { required: true }, { a: "b" }, {}, true],
    ["map", { "map.min_pairs": 1 }, { a: "b" }, {}, true],
    ["map", { "map.max_pairs": 1 }, { a: "b" }, { a: "b", c: "d" }, false],
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

  it.each([
    "string.well_known_regex",
    "string.min_bytes",
    "duration.gt.seconds",
    "timestamp.lt_now",
    "any.in",
    "bytes.pattern",
  ])("%s is not renderable, so lint rejects it", (rule) => expect(isRenderable(rule)).toBe(false));

  it.each<[type: string, rules: Rules, finding: string]>([
    ["string", { "string.min_bytes": 1 }, "string.min_bytes"],
    ["string", { "string.pattern": "(?i)a" }, "(?i)a"],
    ["uint32", { "uint32.gt": 10, "uint32.lt": 5 }, "a uint32 below 4 or above 11"],
  ])("rejects what it cannot express instead of dropping it: %s %o", (type, rules, finding) => {
    const field = testField("value", type, { rules });
    expect(() => fieldSchema(field, "request", contract, refer)).toThrow(finding);
  });

  it("ignores a rule that is disabled", () => {
    const field = testField("value", "string", { rules: { "string.email": false } });
    expect(fieldSchema(field, "request", contract, refer)).toEqual({ type: "string", description: "A comment." });
  });
});
