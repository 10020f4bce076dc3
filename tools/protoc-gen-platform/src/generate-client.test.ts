import { stripTypeScriptTypes } from "node:module";
import { describe, expect, it } from "vitest";
import { compileItems, runPlugin } from "./testing/run-plugin.ts";

const files = runPlugin(compileItems(), "emit=packages");
const connect = `${files.get("client/src/gen/connect-types.ts")}${files.get("client/src/gen/connect-services.ts")}`;
const json = `${files.get("client/src/gen/json-types.ts")}${files.get("client/src/gen/json-services.ts")}`;
const operations = files.get("client/src/gen/operations.ts") ?? "";
const flat = (text: string) => text.replace(/\n +\* /g, " ");

describe.each([
  ["the Connect entry", connect],
  ["the JSON entry", json],
])("%s", (_name, entry) => {
  it("offers each public operation as a method of its service, sorted, with the errors of the operation", () => {
    expect(entry).toContain("export interface ItemClient {");
    expect(entry).toMatch(
      / {2}countItems\(request: CountItemsInput, options\?: CallOptions\): Promise<CountItemsResult>;/,
    );
    expect(entry.indexOf("countItems(")).toBeLessThan(entry.indexOf("listItems("));
    expect(entry).toContain("readonly item: ItemClient;");
    expect(entry).toContain("Its own reasons: `VAULT_NOT_FOUND`, `VERSION_CONFLICT`.");
    expect(flat(entry)).toContain("With `VERSION_CONFLICT`, `detail` is a `VersionConflict`.");
    expect(entry).not.toContain("hideItem");
  });

  it("takes an idempotency key where the contract requires one", () => {
    expect(entry).toContain("listItems(request: ListItemsInput, options?: KeyedCallOptions)");
  });

  it("spells fields in comments as in JSON", () => {
    expect(entry).toContain("Lists the items of `vaultId`.");
  });

  it("marks a deprecated operation with its end", () => {
    expect(entry).toContain("@deprecated Since 2027-01-01; not served from 2027-07-01 on.");
  });
});

it("generates valid TypeScript", () => {
  for (const text of files.values()) expect(() => stripTypeScriptTypes(text)).not.toThrow();
});

describe("the fields of a request", () => {
  it("are required if the server rejects a request without them, by CEL too", () => {
    expect(operations).toContain('"required":["vaultId","deviceCode","filter"]');
    expect(connect).toContain('readonly vaultId: ListItemsRequest["vaultId"];');
    expect(connect).toContain('readonly pageSize?: ListItemsRequest["pageSize"];');
    expect(connect).toContain("readonly filter: MessageInitShape<typeof FilterSchema>;");
    expect(json).toContain("readonly vaultId: string;");
    expect(json).toContain("readonly pageSize?: number | undefined;");
    expect(json).toContain("readonly kind?: string | undefined;");
    expect(json).toContain("export interface Filter {\n  readonly word: string;");
  });

  it("are listed at every depth, the secrets also separately, so that no error repeats them", () => {
    expect(operations).toContain('"fields":["vaultId","pageSize","deviceCode","filter","word","kind"]');
    expect(operations).toContain('"secrets":["deviceCode"]');
  });
});

describe("the Connect entry", () => {
  it("checks that required messages are present, at every depth", () => {
    expect(connect).toContain("export type ListItemsResult = Answered<CompleteListItemsResponse>;");
    expect(connect).toContain("readonly newest: CompleteItem;\n  readonly items: CompleteItem[];");
    expect(connect).toContain("message.newest !== undefined && isCompleteItem(message.newest)");
    expect(connect).toContain("message.items.every(isCompleteItem)");
    expect(connect).toContain("return message.aTime !== undefined;");
  });

  it("does not check a message that may be absent", () => {
    expect(connect).toContain("export type CountItemsResult = Answered<CountItemsResponse>;");
    expect(connect).not.toContain("message.expiredAt");
    expect(connect).not.toContain("message.itself");
  });
});

describe("the JSON entry", () => {
  it.each([
    ["a string", "readonly aString: string;", "aString: string,"],
    ["a number", "readonly aNumber: number;", "aNumber: number,"],
    ["a 64-bit number, a string in JSON", "readonly aLong: string;", "aLong: string,"],
    ["a flag", "readonly aFlag: boolean;", "aFlag: boolean,"],
    ["bytes", "readonly someBytes: string;", "someBytes: string,"],
    ["a timestamp", "readonly aTime: string;", "aTime: string,"],
    ["a wrapper", "readonly aWrapper?: number | undefined;", "aWrapper: optional(number),"],
    ["an enum", "readonly aKind: string;", "aKind: string,"],
    ["a list", "readonly aList: readonly string[];", "aList: list(string),"],
    ["a map", "readonly aMap: { readonly [key: string]: number };", "aMap: map(number),"],
    ["a message", "readonly newest: Item;", "newest: readItem,"],
    ["a message inside itself", "readonly itself?: Item | undefined;", "itself: optional((value) => readItem(value)),"],
    ["a field of a oneof", "readonly byName?: string | undefined;", "byName: optional(string),"],
    ["what may be absent", "readonly anOption?: string | undefined;", "anOption: optional(string),"],
  ])("types %s, and reads it", (_name, type, reader) => {
    expect(json).toContain(`  ${type}\n`);
    expect(json).toContain(`  ${reader}\n`);
  });
});
