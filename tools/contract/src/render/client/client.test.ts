import { stripTypeScriptTypes } from "node:module";
import { describe, expect, it } from "vitest";
import type { Field, FieldType } from "../../model/contract.ts";
import {
  testContract,
  testEnum,
  testField,
  testMessage,
  testOperation,
  testReason,
} from "../../model/testing/test-contract.ts";
import { publishedApis } from "../published-api.ts";
import { renderConnectEntry } from "./connect-entry.ts";
import { renderJsonEntry } from "./json-entry.ts";
import { renderOperations } from "./operations.ts";

const message = (name: string): FieldType => ({ kind: "message", name });
const timestamp = message("google.protobuf.Timestamp");

/** The client of `ItemService.ListItems` with some fields. */
function render(request: readonly Field[], response: readonly Field[], parts = {}) {
  const contract = testContract({
    enums: [testEnum("platform.v1.ErrorReason", [testReason("VAULT_NOT_FOUND")])],
    operations: [testOperation("platform.v1.ItemService/ListItems", parts)],
    messages: [
      testMessage("platform.v1.ListItemsRequest", request),
      testMessage("platform.v1.ListItemsResponse", response),
      testMessage("platform.v1.Item", [testField("item_id", "string"), testField("updated_at", timestamp)]),
    ],
  });
  const [api] = publishedApis(contract);
  if (api === undefined) throw new Error("the contract has no published package");
  const connect = renderConnectEntry(api);
  const json = renderJsonEntry(api);
  return {
    operations: renderOperations(api),
    connect: connect.types + connect.services,
    json: json.types + json.services,
    modules: [connect.types, connect.services, json.types, json.services],
  };
}

describe("both entries", () => {
  it("offer each operation as a method of its service, with the errors of the operation", () => {
    const { connect, json } = render([], [], { errors: [{ reason: "VAULT_NOT_FOUND", when: undefined }] });
    for (const entry of [connect, json]) {
      expect(entry).toContain("export interface ItemClient {");
      expect(entry).toContain("  listItems(request: ListItemsInput, options?: CallOptions): Promise<ListItemsResult>;");
      expect(entry).toContain("readonly item: ItemClient;");
      expect(entry).toContain("Its own reasons: `VAULT_NOT_FOUND`.");
    }
  });

  it("take an idempotency key where the contract requires one", () => {
    const { connect, json, operations } = render([], [], { retrySafety: "with_key" });
    for (const entry of [connect, json]) expect(entry).toContain("options?: KeyedCallOptions");
    expect(operations).toContain('"retrySafety":"with_key"');
  });

  it("require the fields of a request that the server requires, and no others", () => {
    const required = testField("vault_id", "string", { rules: { "string.min_len": 1 } });
    const { connect, json, operations } = render([required, testField("page_size", "uint32")], []);
    expect(operations).toContain('"fields":["vaultId","pageSize"],"required":["vaultId"]');
    expect(connect).toContain('readonly vaultId: ListItemsRequest["vaultId"];');
    expect(connect).toContain('readonly pageSize?: ListItemsRequest["pageSize"];');
    expect(json).toContain("readonly vaultId: string;");
    expect(json).toContain("readonly pageSize?: number | undefined;");
  });

  it("name the secrets of a request, so that no error repeats them", () => {
    const { operations } = render([testField("device_code", "string", { secret: true })], []);
    expect(operations).toContain('"secrets":["deviceCode"]');
  });

  it("mark a deprecated operation with its end", () => {
    const deprecation = { deprecatedOn: "2027-01-01", sunsetOn: "2027-07-01" };
    const { connect, json } = render([], [], { deprecated: true, deprecation });
    for (const entry of [connect, json]) {
      expect(entry).toContain("@deprecated Since 2027-01-01; not served from 2027-07-01 on.");
    }
  });

  it("are valid TypeScript", () => {
    const items = testField("items", message("platform.v1.Item"), { shape: "repeated" });
    for (const text of render([testField("vault_id", "string")], [items]).modules) {
      expect(() => stripTypeScriptTypes(text)).not.toThrow();
    }
  });
});

describe("the Connect entry", () => {
  it("checks that required messages are present, at every depth", () => {
    const { connect } = render(
      [],
      [
        testField("newest", message("platform.v1.Item")),
        testField("items", message("platform.v1.Item"), { shape: "repeated" }),
      ],
    );
    expect(connect).toContain("export type ListItemsResult = Answered<CompleteListItemsResponse>;");
    expect(connect).toContain("readonly newest: CompleteItem;\n  readonly items: CompleteItem[];");
    expect(connect).toContain("message.newest !== undefined && isCompleteItem(message.newest)");
    expect(connect).toContain("message.items.every(isCompleteItem)");
    expect(connect).toContain("return message.updatedAt !== undefined;");
  });

  it("does not check a message that may be absent", () => {
    const { connect } = render([], [testField("at", timestamp, { absentUntil: "it has happened" })]);
    expect(connect).toContain("export type ListItemsResult = Answered<ListItemsResponse>;");
    expect(connect).not.toContain("isComplete");
  });
});

describe("the JSON entry", () => {
  it.each<[name: string, field: Field, type: string, shape: string]>([
    ["a string", testField("a", "string"), "readonly a: string;", 'a: "",'],
    ["a number", testField("a", "uint32"), "readonly a: number;", "a: 0,"],
    ["a 64-bit number, a string in JSON", testField("a", "int64"), "readonly a: string;", 'a: "",'],
    ["a flag", testField("a", "bool"), "readonly a: boolean;", "a: false,"],
    ["a timestamp", testField("a", timestamp), "readonly a: string;", 'a: "",'],
    ["an enum", testField("a", { kind: "enum", name: "platform.v1.Kind" }), "readonly a: string;", 'a: "",'],
    ["a list", testField("a", "string", { shape: "repeated" }), "readonly a: readonly string[];", 'a: [""],'],
    ["a message", testField("a", message("platform.v1.Item")), "readonly a: Item;", "a: itemShape,"],
    [
      "a map",
      testField("a", "uint32", { shape: "map", keyType: "string" }),
      "readonly a: { readonly [key: string]: number };",
      'a: new Map([["", 0]]),',
    ],
    [
      "what may be absent",
      testField("a", "string", { absentUntil: "it is approved" }),
      "readonly a?: string | undefined;",
      'a: () => "",',
    ],
  ])("types %s, and checks it", (_name, field, type, shape) => {
    const { json } = render([], [field]);
    expect(json).toContain(`  ${type}\n`);
    expect(json).toContain(`  ${shape}\n`);
  });
});
