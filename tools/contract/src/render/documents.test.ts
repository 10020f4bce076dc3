import { fromBinary, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import type { Contract } from "../model/contract.ts";
import { descriptorsOf, localName } from "../model/testing/descriptors.ts";
import { testField, testMessage, testOperation } from "../model/testing/test-contract.ts";
import { contractAt, workspaceRoot } from "../testing/contract-copy.ts";
import { renderDocuments } from "./documents.ts";
import { everyType } from "./testing/every-type.ts";
import { at, createSchemaChecker, examplesIn, objectIn } from "./testing/schema-checker.ts";

const contract = await contractAt(workspaceRoot);
const path = "apps/platform/src/gen/openapi.json";

function openapiOf(from: Contract): JsonObject {
  return objectIn(JSON.parse(renderDocuments(from).get(path) ?? "null"));
}

const document = openapiOf(contract);
const text = JSON.stringify(document);

describe("the OpenAPI document of platform.v1", () => {
  it.each([
    ["of the contract", document],
    ["of a contract with every type", openapiOf(everyType())],
  ])("%s is valid OpenAPI 3.1", async (_of, checked) => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: JSON.stringify(checked), config });
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("contains every public operation at its path (SPEC section 4), and nothing private (DECISIONS section 1)", () => {
    const operations = [...contract.operations.values()].filter(({ visibility }) => visibility === "public");
    expect(Object.keys(objectIn(at(document, "paths")))).toEqual(operations.map(({ name }) => `/${name}`).sort());
    expect(text).not.toMatch(/internal\.v1|internal:admin|VaultAdmin|AccessAdmin|PutItem|PRIVATE/);
  });
});

it("optional fields, fields of a oneof and a message inside itself may be absent", () => {
  const every = openapiOf(everyType());
  const { properties, required } = objectIn(at(every, "components", "schemas", "CallResponse"));
  const absent = Object.keys(objectIn(properties)).filter(
    (name) => !(Array.isArray(required) && required.includes(name)),
  );
  expect(absent.filter((name) => !/Optional$/.test(name))).toEqual(["byName", "byNumber", "byPart"]);
  expect(at(every, "components", "schemas", "Tree", "required")).toEqual(["name", "branches"]);
});

describe("DECISIONS section 6: errors", () => {
  it("`value` of each detail in each example is the message that `debug` shows", () => {
    const registry = descriptorsOf(contract);
    const details = examplesIn(document).flatMap(({ value }) => {
      const held = at(value, "details");
      return Array.isArray(held) ? held : [];
    });
    expect(details.length).toBeGreaterThan(50);
    for (const detail of details) {
      const { type, value, debug } = objectIn(detail);
      const schema = registry.getMessage(localName(String(type)));
      if (schema === undefined) throw new Error(`${String(type)} is not a message`);
      const message = fromBinary(schema, base64Decode(String(value)));
      expect(toJson(schema, message, { alwaysEmitImplicit: true })).toEqual(debug);
    }
  });
});

describe.each([
  ["the contract", contract],
  ["a contract with every type", everyType()],
])("examples of %s", (_of, from) => {
  const rendered = openapiOf(from);
  const faultsOf = createSchemaChecker(rendered);

  it.each(examplesIn(rendered))("match their schema: $name", ({ schema, value }) => {
    expect(faultsOf(schema, value)).toBeNull();
  });

  it.each(["2019-09", "draft-07"] as const)(
    "match their schema in tools that validate by JSON Schema %s, such as Prism",
    (version) => {
      const olderFaultsOf = createSchemaChecker(rendered, version);
      for (const { name, schema, value } of examplesIn(rendered)) expect(olderFaultsOf(schema, value), name).toBeNull();
    },
  );

  it("of messages are JSON that protobuf reads", () => {
    const registry = descriptorsOf(from);
    const json = ["content", "application/json", "example"];
    for (const { name, request, response } of from.operations.values()) {
      const post = at(rendered, "paths", `/${name}`, "post");
      if (post === undefined) continue;
      for (const [message, shown] of [
        [request, at(post, "requestBody", ...json)],
        [response, at(post, "responses", "200", ...json)],
      ] as const) {
        const schema = registry.getMessage(localName(message));
        if (schema === undefined) throw new Error(`${message} is not a message`);
        expect(() => fromJson(schema, shown ?? null, { registry }), message).not.toThrow();
      }
    }
  });
});

describe("deprecation", () => {
  const base = everyType();
  const name = "platform.v1.EveryService/Call";
  const operation = testOperation(name, {
    deprecated: true,
    deprecation: { deprecatedOn: "2027-01-01", sunsetOn: "2027-06-30" },
  });
  const request = testMessage("platform.v1.CallRequest", [testField("old", "string", { deprecated: true })]);
  const rendered = openapiOf({
    ...base,
    operations: new Map([[name, operation]]),
    messages: new Map([...base.messages, [request.name, request]]),
  });

  it("of an operation is marked, with its dates and the headers of its responses", () => {
    const post = at(rendered, "paths", `/${name}`, "post");
    expect(post).toMatchObject({ deprecated: true, "x-deprecation": { deprecatedOn: "2027-01-01" } });
    expect(at(post, "description")).toContain("Deprecated since 2027-01-01. It is served until 2027-06-30 at least.");
    const headers = at(post, "responses", "200", "headers");
    expect(at(headers, "Deprecation", "schema", "const")).toBe("@1798761600");
    expect(at(headers, "Sunset", "schema", "const")).toBe("Wed, 30 Jun 2027 00:00:00 GMT");
    expect(at(headers, "Link", "schema", "const")).toBe(
      '<../docs/api/operations/Call>; rel="deprecation"; type="text/html"',
    );
  });

  it("of a field is marked", () => {
    expect(at(rendered, "components", "schemas", "CallRequest", "properties", "old", "deprecated")).toBe(true);
  });
});

describe("a contract that the documents cannot express is rejected", () => {
  const base = everyType();
  const operation = base.operations.get("platform.v1.EveryService/Call") ?? testOperation("");
  it.each<[title: string, parts: Partial<Contract>, finding: string]>([
    [
      "an unknown reason",
      { operations: new Map([["x", { ...operation, errors: [{ reason: "NO", when: undefined }] }]]) },
      "NO",
    ],
    [
      "a rule without an example",
      {
        messages: new Map([
          ...base.messages,
          [
            "platform.v1.CallRequest",
            testMessage("platform.v1.CallRequest", [
              testField("a", "string", { rules: { "string.pattern": "^x{40}$" } }),
            ]),
          ],
        ]),
      },
      "test.proto:1: a needs (platform.options.v1.field).example",
    ],
    [
      "two messages of one name",
      {
        messages: new Map([
          ...base.messages,
          [
            "platform.v1.CallResponse",
            testMessage("platform.v1.CallResponse", [testField("a", { kind: "message", name: "platform.v1.Error" })]),
          ],
          ["platform.v1.Error", testMessage("platform.v1.Error", [])],
        ]),
      },
      "would share the schema Error",
    ],
  ])("%s", (_title, parts, finding) => {
    expect(() => renderDocuments({ ...base, ...parts })).toThrow(finding);
  });
});
