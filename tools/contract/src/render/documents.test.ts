import { fromBinary, fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { buildContract } from "../buf/buf.ts";
import type { Contract } from "../model/contract.ts";
import { descriptorsOf, localName, testEncoder } from "../model/testing/descriptors.ts";
import { testField, testMessage, testOperation } from "../model/testing/test-contract.ts";
import { workspaceRoot } from "../testing/contract-copy.ts";

import { renderDocuments } from "./documents.ts";
import { everyType } from "./testing/every-type.ts";
import { at, createSchemaChecker, examplesIn, objectIn } from "./testing/schema-checker.ts";

const built = await buildContract(workspaceRoot);
if ("faults" in built) throw new Error(built.faults.map(({ message }) => message).join("\n"));
const contract: Contract = built;
const path = "apps/platform/src/gen/openapi.json";

function openapiOf(from: Contract, file = path): JsonObject {
  return objectIn(JSON.parse(renderDocuments(from).get(file) ?? "null"));
}

const document = openapiOf(contract);
const text = JSON.stringify(document);
const deleteItem = at(document, "paths", "/platform.v1.VaultService/DeleteItem", "post");
const exchange = at(
  document,
  "paths",
  "/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  "post",
);

describe("the OpenAPI document of platform.v1", () => {
  it.each([
    ["of the contract", document],
    ["of a contract with every type", openapiOf(everyType())],
  ])("%s is valid OpenAPI 3.1", async (_of, checked) => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(JSON.stringify(checked)))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("contains every public operation at its path (SPEC section 4), and nothing private (DECISIONS section 1)", () => {
    const operations = [...contract.operations.values()].filter(({ visibility }) => visibility === "public");
    expect(Object.keys(objectIn(at(document, "paths")))).toEqual(operations.map(({ name }) => `/${name}`).sort());
    expect(text).not.toMatch(/internal\.v1|internal:admin|VaultAdmin|AccessAdmin|PutItem|PRIVATE/);
  });

  it("is the same text each time it is generated from the same contract", () => {
    expect(JSON.stringify(openapiOf(contract))).toBe(text);
  });

  it("shows who may call an operation, how it is retried and how often it may be called", () => {
    expect(deleteItem).toMatchObject({
      tags: ["VaultService"],
      summary: "Deletes an item if it is still at the version the caller last saw",
      security: [{ BearerAuth: ["vault.items:delete"] }],
      "x-required-scopes": ["vault.items:delete"],
      "x-retry-safety": "idempotent",
      "x-visibility": "public",
      "x-rate": { perMinute: 600, burst: 100 },
    });
    expect(exchange).toMatchObject({ "x-retry-safety": "with_key" });
    expect(document["x-limits"]).toMatchObject({ bodyBytes: 65_536 });
    expect(at(document, "components", "securitySchemes", "BearerAuth")).toMatchObject({
      type: "http",
      scheme: "bearer",
    });
  });

  it("describes the service of each operation as its tag", () => {
    expect(at(document, "tags")).toEqual(
      expect.arrayContaining([
        { name: "IdentityGatewayService", description: expect.stringContaining("issues tokens") },
        { name: "VaultService", description: "VaultService changes the items of a vault." },
      ]),
    );
    for (const path of Object.values(objectIn(at(document, "paths")))) {
      expect(at(path, "post", "summary")).not.toBe(at(path, "post", "description"));
    }
  });

  it("lists an Idempotency-Key only for the operation that reads it", () => {
    expect(JSON.stringify(at(exchange, "parameters"))).toContain("IdempotencyKey");
    expect(JSON.stringify(at(deleteItem, "parameters"))).not.toContain("IdempotencyKey");
  });
});

describe("SPEC section 2 and DECISIONS section 2: the JSON of messages", () => {
  const schemas = objectIn(at(document, "components", "schemas"));
  const responses = ["DeleteItemResponse", "ExchangeMcpOauthDeviceAuthorizationResponse", "Item", "EncryptedPayload"];
  const parts = ["WrappedKey", "Cursor", "BrokerToken", "VersionConflict"];

  it.each([...responses, ...parts])("%s always has every field except brokerToken", (name) => {
    const { properties, required } = objectIn(at(schemas, name));
    expect(required).toEqual(Object.keys(objectIn(properties)).filter((field) => field !== "brokerToken"));
  });

  it.each([
    ["Item", "version", { type: "integer", minimum: 0, maximum: 4294967295 }],
    ["Item", "wrappedKeys", { type: "array", items: { $ref: "#/components/schemas/WrappedKey" } }],
    ["Item", "encryptedPayload", { $ref: "#/components/schemas/EncryptedPayload" }],
    ["EncryptedPayload", "alg", { type: "string", examples: ["A256GCM", "XC20P"] }],
    ["DeleteItemRequest", "baseVersion", { type: "integer", minimum: 1, maximum: 4294967295 }],
    ["DeleteItemRequest", "vaultId", { type: "string", maxLength: 128, pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]*$" }],
    ["ExchangeMcpOauthDeviceAuthorizationRequest", "deviceCode", { type: "string", minLength: 1, maxLength: 256 }],
  ])("%s.%s", (message, field, expected) => {
    const { description, ...schema } = objectIn(at(schemas, message, "properties", field));
    expect(schema).toEqual(expected);
    expect(description).not.toBe("");
  });

  it("requests have the fields without a default, and may have unknown fields", () => {
    expect(at(schemas, "DeleteItemRequest", "required")).toEqual(["vaultId", "itemId", "baseVersion"]);
    expect(at(schemas, "ExchangeMcpOauthDeviceAuthorizationRequest", "required")).toEqual(["deviceCode"]);
    expect(text).not.toContain('"additionalProperties":false');
  });

  it("optional fields, wrappers, fields of a oneof and a message inside itself may be absent", () => {
    const every = openapiOf(everyType());
    const { properties, required } = objectIn(at(every, "components", "schemas", "CallResponse"));
    const absent = Object.keys(objectIn(properties)).filter(
      (name) => !(Array.isArray(required) && required.includes(name)),
    );
    expect(absent.filter((name) => !/Optional$|Wrapper$/.test(name))).toEqual(["byName", "byNumber", "byPart"]);
    expect(at(every, "components", "schemas", "Tree", "required")).toEqual(["name", "branches"]);
    const faultsOf = createSchemaChecker(every);
    const both = { byName: "a", byNumber: 1 };
    expect(faultsOf({ $ref: "#/components/schemas/CallRequest" }, both)).not.toBeNull();
    expect(faultsOf({ $ref: "#/components/schemas/CallRequest" }, { byName: "a" })).toBeNull();
  });
});

describe("DECISIONS section 6: errors", () => {
  const reasonsOf = (operation: JsonValue | undefined) =>
    Object.entries(objectIn(at(operation, "responses"))).flatMap(([status, response]) => {
      const named = at(response, "x-error-reasons");
      return Array.isArray(named) ? named.map((reason) => `${status} ${String(reason)}`) : [];
    });

  it("each operation lists its own reasons and those of every call", () => {
    const [ofDelete, ofExchange] = [reasonsOf(deleteItem), reasonsOf(exchange)];
    expect(ofDelete.filter((reason) => !ofExchange.includes(reason))).toEqual([
      "400 SEQUENCE_EXHAUSTED",
      "403 ROLE_FORBIDS_DELETE",
      "403 DELEGATION_EXHAUSTED",
      "404 VAULT_NOT_FOUND",
      "404 ITEM_NOT_FOUND",
      "409 VERSION_CONFLICT",
    ]);
    expect(ofExchange.filter((reason) => !ofDelete.includes(reason))).toEqual([
      "400 DEVICE_CODE_CONSUMED",
      "403 PRINCIPAL_DISABLED",
      "404 DEVICE_CODE_INVALID",
    ]);
    const all =
      contract.enums
        .get("platform.v1.ErrorReason")
        ?.values.slice(1)
        .map(({ localName: name }) => name) ?? [];
    const named = [...ofDelete, ...ofExchange].map((reason) => reason.slice(4));
    expect([...new Set(named), "CANCELED"].sort()).toEqual([...all].sort());
  });

  it.each([
    ["401", "WWW-Authenticate", true],
    ["403", "WWW-Authenticate", false],
    ["405", "Allow", true],
    ["415", "Accept-Post", true],
    ["429", "Retry-After", false],
    ["503", "Retry-After", true],
  ])("a %s has the header %s; always: %s", (status, header, required) => {
    expect(at(deleteItem, "responses", status, "headers", header, "required")).toBe(required);
  });

  it.each([
    "Bearer",
    'Bearer error="invalid_token"',
    'Bearer error="insufficient_scope", scope="vault.items:delete"',
    'Bearer error="invalid_token", resource_metadata="https://api.example/.well-known/oauth-protected-resource"',
  ])("the pattern of WWW-Authenticate admits %s", (challenge) => {
    const { schema } = objectIn(at(deleteItem, "responses", "401", "headers", "WWW-Authenticate"));
    expect(createSchemaChecker(document)(objectIn(schema), challenge)).toBeNull();
  });

  it("the schema of each reason links to its page on the same server and allows more details", () => {
    const schema = at(document, "components", "schemas", "VersionConflictError");
    const url = new URL(String(at(schema, "externalDocs", "url")), "https://api.example/base/openapi.json");
    expect(url.href).toBe("https://api.example/base/docs/errors/VERSION_CONFLICT");
    expect(at(schema, "properties", "details")).toMatchObject({ items: { $ref: "#/components/schemas/ErrorDetail" } });
  });

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

describe("platform.v2 next to platform.v1", () => {
  const base = everyType();
  const renamed = JSON.parse(JSON.stringify(entriesOf(base)).replaceAll("platform.v1", "platform.v2"));
  const both = merged(base, renamed);

  it("has its own document and error pages, and does not change those of v1", () => {
    const documents = renderDocuments(both);
    const module = "apps/platform/src/gen/openapi-documents.ts";
    for (const [file, content] of renderDocuments(base)) if (file !== module) expect(documents.get(file)).toBe(content);
    expect(documents.get(module)).toContain('["/openapi.json", v1],\n  ["/openapi.v2.json", v2],');
    expect([...documents.keys()].filter((file) => file.includes("v2"))).toEqual([
      "apps/platform/src/gen/openapi.v2.json",
      "docs/errors/v2/README.md",
      "docs/errors/v2/PART_NOT_FOUND.md",
      "docs/operations/v2/README.md",
      "docs/operations/v2/Call.md",
    ]);
    const v2 = openapiOf(both, "apps/platform/src/gen/openapi.v2.json");
    expect(Object.keys(objectIn(at(v2, "paths")))).toEqual(["/platform.v2.EveryService/Call"]);
    expect(JSON.stringify(v2)).not.toContain("platform.v1");
    expect(JSON.stringify(v2)).toContain('"docs/errors/v2/PART_NOT_FOUND"');
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
    ["an unknown header", { operations: new Map([["x", { ...operation, headers: ["X-No"] }]]) }, "X-No"],
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

function entriesOf(from: Contract) {
  const { encode: _, image: __, ...maps } = from;
  return Object.fromEntries(Object.entries(maps).map(([part, all]) => [part, [...all]]));
}

function merged(one: Contract, other: Readonly<Record<keyof Contract, never[]>>): Contract {
  const types = {
    messages: new Map([...one.messages, ...other.messages]),
    enums: new Map([...one.enums, ...other.enums]),
  };
  return {
    ...types,
    image: one.image,
    encode: testEncoder(types),
    packages: new Map([...one.packages, ...other.packages]),
    services: new Map([...one.services, ...other.services]),
    operations: new Map([...one.operations, ...other.operations]),
    extensions: one.extensions,
  };
}
