import { fromBinary, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { copyContract, workspaceRoot } from "../contract-copy.ts";
import { readContract } from "../read-contract.ts";
import { openapiDocument } from "./document.ts";
import { objectIn } from "./option.ts";

function contractAt(root: string) {
  const contract = readContract(root);
  if ("fault" in contract) throw new Error(contract.fault);
  return contract;
}

const contract = contractAt(workspaceRoot);
const document = openapiDocument(contract);
const text = JSON.stringify(document);

/** The value at a path of keys. */
function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, key) => objectIn(inner)[key], value);
}

const schemas = objectIn(at(document, "components", "schemas"));
const deleteItem = at(document, "paths", "/platform.v1.VaultService/DeleteItem", "post");
const exchange = at(
  document,
  "paths",
  "/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  "post",
);

const ajv = new Ajv2020({ allErrors: true, strictTuples: false });
addFormats.default(ajv);
ajv.addVocabulary(["components"]);
ajv.addSchema({ $id: "openapi", components: { schemas } });

/** What keeps a value from being what a schema of the document says. */
function faultsOf(schema: JsonObject, value: JsonValue): unknown {
  const local = JSON.parse(JSON.stringify(schema).replaceAll("#/components", "openapi#/components"));
  const validate = ajv.compile(local);
  validate(value);
  return validate.errors;
}

interface Example {
  readonly name: string;
  readonly schema: JsonObject;
  readonly value: JsonValue;
}

/** Every example that stands beside a schema, wherever in the document. */
function examplesIn(value: JsonValue, path = ""): Example[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => examplesIn(each, `${path}/${index}`));
  const { schema, examples, example, ...others } = objectIn(value);
  const beside = schema === undefined ? [] : Object.entries(objectIn(examples));
  const single = schema === undefined || example === undefined ? [] : [["", { value: example }] as const];
  return [
    ...[...beside, ...single].map(([name, held]) => ({
      name: `${path}/${name}`.replace(/.*\.v1\.\w+\/|post\/|responses\/|content\/application\/json\//g, ""),
      schema: objectIn(schema),
      value: at(held, "value") ?? null,
    })),
    ...Object.entries(others).flatMap(([key, each]) => examplesIn(each, `${path}/${key}`)),
  ];
}

const examples = examplesIn(document);

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1, says a validator that is not ours", async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("holds every public operation at its path (SPEC section 4), and nothing private (DECISIONS section 1)", () => {
    expect(Object.keys(objectIn(at(document, "paths")))).toEqual([
      "/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
      "/platform.v1.VaultService/DeleteItem",
    ]);
    expect(text).not.toMatch(/internal\.v1|internal:admin|VaultAdmin|AccessAdmin|PutItem|PRIVATE/);
  });

  it("is the same text each time that it is made of the same contract", () => {
    expect(JSON.stringify(openapiDocument(contractAt(workspaceRoot)))).toBe(text);
  });

  it("tells of each operation who may call it and how it may be retried", () => {
    expect(deleteItem).toMatchObject({
      tags: ["public"],
      security: [{ BearerAuth: ["vault.items:delete"] }],
      "x-required-scopes": ["vault.items:delete"],
      "x-retry-safety": "idempotent",
      "x-visibility": "public",
    });
    expect(exchange).toMatchObject({
      security: [{ BearerAuth: ["identity.device_authorizations:exchange"] }],
      "x-retry-safety": "with_key",
    });
    expect(at(document, "components", "securitySchemes", "BearerAuth")).toMatchObject({
      type: "http",
      scheme: "bearer",
    });
  });

  it("takes an Idempotency-Key only where it makes a retry safe", () => {
    expect(JSON.stringify(at(exchange, "parameters"))).toContain("IdempotencyKey");
    expect(JSON.stringify(at(deleteItem, "parameters"))).not.toContain("IdempotencyKey");
  });
});

describe("SPEC section 2 and DECISIONS section 2: the JSON of messages", () => {
  const responses = ["DeleteItemResponse", "ExchangeMcpOauthDeviceAuthorizationResponse", "Item", "EncryptedPayload"];
  const parts = ["WrappedKey", "Cursor", "BrokerToken", "VersionConflict"];

  it.each([...responses, ...parts])("%s always has every field, but for a brokerToken", (name) => {
    const { properties, required } = objectIn(at(schemas, name));
    expect(required).toEqual(Object.keys(objectIn(properties)).filter((field) => field !== "brokerToken"));
  });

  it.each([
    ["Item", "version", { type: "integer", minimum: 0, maximum: 4294967295 }],
    ["Item", "updatedAt", { type: "string", format: "date-time" }],
    ["Item", "wrappedKeys", { type: "array", items: { $ref: "#/components/schemas/WrappedKey" } }],
    ["Item", "encryptedPayload", { $ref: "#/components/schemas/EncryptedPayload" }],
    ["Item", "deleted", { type: "boolean" }],
    ["EncryptedPayload", "alg", { type: "string", examples: ["A256GCM", "XC20P"] }],
    ["BrokerToken", "role", { type: "string", examples: ["owner", "admin", "member", "viewer", "agent"] }],
    ["DeleteItemRequest", "baseVersion", { type: "integer", minimum: 1, maximum: 4294967295 }],
    ["DeleteItemRequest", "vaultId", { type: "string", maxLength: 128, pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]*$" }],
    ["ExchangeMcpOauthDeviceAuthorizationRequest", "deviceCode", { type: "string", minLength: 1, maxLength: 256 }],
  ])("%s.%s", (message, field, expected) => {
    const { description, ...schema } = objectIn(at(schemas, message, "properties", field));
    expect(schema).toEqual(expected);
    expect(description).not.toBe("");
  });

  it("requests must have every field that has no default, and may have fields that are unknown", () => {
    expect(at(schemas, "DeleteItemRequest", "required")).toEqual(["vaultId", "itemId", "baseVersion"]);
    expect(at(schemas, "ExchangeMcpOauthDeviceAuthorizationRequest", "required")).toEqual(["deviceCode"]);
    expect(text).not.toContain('"additionalProperties":false');
  });
});

describe("DECISIONS section 6: errors", () => {
  const reasonsOf = (operation: JsonValue | undefined) =>
    Object.entries(objectIn(at(operation, "responses"))).flatMap(([status, response]) => {
      const named = at(response, "x-error-reasons");
      return Array.isArray(named) ? named.map((reason) => `${status} ${String(reason)}`) : [];
    });
  const ofEveryCall = reasonsOf(deleteItem).filter((reason) => reasonsOf(exchange).includes(reason));

  it("each operation has its own reasons", () => {
    expect(reasonsOf(deleteItem).filter((reason) => !ofEveryCall.includes(reason))).toEqual([
      "400 SEQUENCE_EXHAUSTED",
      "403 ROLE_FORBIDS_DELETE",
      "404 VAULT_NOT_FOUND",
      "404 ITEM_NOT_FOUND",
      "409 VERSION_CONFLICT",
    ]);
    expect(reasonsOf(exchange).filter((reason) => !ofEveryCall.includes(reason))).toEqual([
      "400 DEVICE_CODE_CONSUMED",
      "403 PRINCIPAL_DISABLED",
      "404 DEVICE_CODE_INVALID",
    ]);
    expect(ofEveryCall).toContain("429 RATE_LIMITED");
  });

  it("every reason of the contract is there, but for the one that only logs see", () => {
    const all = contract.getEnum("platform.v1.ErrorReason")?.values.slice(1) ?? [];
    const named = [...reasonsOf(deleteItem), ...reasonsOf(exchange)].map((reason) => reason.slice(4));
    expect([...new Set(named), "CANCELED"].sort()).toEqual(all.map(({ localName }) => localName).sort());
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

  it("`value` of each detail in each example is the message that `debug` shows", () => {
    const details = examples.flatMap(({ value }) => {
      const held = at(value, "details");
      return Array.isArray(held) ? held : [];
    });
    expect(details.length).toBeGreaterThan(50);
    for (const detail of details) {
      const { type, value, debug } = objectIn(detail);
      const schema = contract.getMessage(String(type));
      if (schema === undefined) throw new Error(`${String(type)} is no message`);
      const message = fromBinary(schema, base64Decode(String(value)));
      expect(toJson(schema, message, { alwaysEmitImplicit: true })).toEqual(debug);
    }
  });
});

describe("every example is what its schema says", () => {
  it.each(examples)("$name", ({ schema, value }) => {
    expect(faultsOf(schema, value)).toBeNull();
  });

  it.each([
    ["a field missing", "DeleteItemResponse", { item: {} }],
    ["a number as a string", "Cursor", { vaultId: "v", sequence: "1" }],
    ["a number beyond 32 bits", "Cursor", { vaultId: "v", sequence: 4294967296 }],
    ["a code that Connect does not know", "Error", { code: "gone", message: "", details: [] }],
    ["another reason's body", "ItemNotFoundError", at(examples.at(-1)?.value) ?? null],
  ])("and would not be with %s", (_fault, name, value) => {
    expect(faultsOf({ $ref: `#/components/schemas/${name}` }, value)).not.toBeNull();
  });
});

describe("a contract that the document has no words for is refused, not documented wrongly", () => {
  it.each([
    ["v1/vault_service.proto", /Errors besides those of every call:/, "Errors:", "lacks the sentence"],
    ["v1/vault_service.proto", /SEQUENCE_EXHAUSTED, RATE_LIMITED/, "SEQUENCE_AT_END", "no reason of the contract"],
    ["v1/vault_service.proto", /uint32 base_version/, "uint64 base_version", "without a JSON Schema"],
    ["v1/vault_service.proto", /uint32\.gte = 1/, "uint32.gt = 0", "uint32.gt"],
    ["v1/error.proto", /DEVICE_CODE_INVALID = 14/, "DEVICE_CODE_WRONG = 14", "no reason of the contract"],
    ["v1/error.proto", /A google\.rpc\.BadRequest detail/, "A google.rpc.Help detail", "google.rpc.Help"],
  ])("%s with %s made %s", (file, place, replacement, finding) => {
    using copy = copyContract();
    copy.edit(file, place, replacement);
    const changed = contractAt(copy.root);
    expect(() => openapiDocument(changed)).toThrow(finding);
  });
});
