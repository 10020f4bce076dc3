import { create, type DescMessage, toJson } from "@bufbuild/protobuf";
import { VersionConflictSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { readVersionConflict } from "../error/error-answer.js";
import { json, list, map, message, number, optional, string } from "./read-json.js";

/** The fields of a message, empty. */
const empty = (schema: DescMessage, init = {}): unknown =>
  toJson(schema, create(schema, init), { alwaysEmitImplicit: true });

it("the fields of VersionConflict are those of the contract", () => {
  expect(readVersionConflict({ cursor: {} })).toEqual(empty(VersionConflictSchema, { cursor: {} }));
});

describe("a message", () => {
  const conflict = { itemId: "item-1", baseVersion: 1, currentVersion: 2, deleted: true };
  const cursor = { vaultId: "vault-1", sequence: 3 };

  it("has the defaults of absent fields, and no members that the contract does not have", () => {
    const value = JSON.parse('{"itemId":"item-1","deleted":null,"cursor":{"later":[1]},"__proto__":{"baseVersion":7}}');
    expect(readVersionConflict(value)).toEqual({
      itemId: "item-1",
      baseVersion: 0,
      currentVersion: 0,
      deleted: false,
      cursor: { vaultId: "", sequence: 0 },
    });
  });

  it.each(["2", "2.0", "2e0", "20E-1"])("ProtoJSON: is read with the number %j in a string", (currentVersion) => {
    expect(readVersionConflict({ ...conflict, cursor, currentVersion })).toEqual({ ...conflict, cursor });
  });

  it("ProtoJSON: is read with the names of proto, and a name of JSON comes first", () => {
    const value = { item_id: "item-1", base_version: 1, current_version: 2, deleted: true, cursor };
    expect(readVersionConflict(value)).toEqual({ ...conflict, cursor });
    expect(readVersionConflict({ ...value, itemId: "item-2" })).toMatchObject({ itemId: "item-2" });
  });

  it.each([
    { name: "a message without its message", value: conflict },
    { name: "a number for a string", value: { ...conflict, cursor, itemId: 1 } },
    { name: "a string for a boolean", value: { ...conflict, cursor, deleted: "true" } },
    { name: "a hexadecimal string for a number", value: { ...conflict, cursor, currentVersion: "0x2" } },
    { name: "an empty string for a number", value: { ...conflict, cursor, currentVersion: "" } },
    { name: "a string with a space for a number", value: { ...conflict, cursor, currentVersion: " 2" } },
    { name: "a string with a leading zero for a number", value: { ...conflict, cursor, currentVersion: "02" } },
    { name: "Infinity for a number", value: { ...conflict, cursor, currentVersion: "Infinity" } },
    { name: "a list for a message", value: { ...conflict, cursor: [] } },
    { name: "null", value: null },
  ])("is not read from $name", ({ value }) => {
    expect(() => readVersionConflict(value)).toThrow(TypeError);
  });
});

describe("a field", () => {
  interface Page {
    readonly names: readonly string[];
    readonly counts: { readonly [key: string]: number };
    readonly next?: { readonly token: string } | undefined;
    readonly raw: unknown;
  }
  const readPage = message<Page>({
    names: list(string),
    counts: map(number),
    raw: json,
    next: optional(message({ token: string })),
  });

  it.each([undefined, null, []])("that is a list is empty when it is %j", (names) => {
    expect(readPage({ names, raw: 1 })).toEqual({ names: [], counts: {}, raw: 1 });
  });

  it.each([
    { name: "a map", given: { counts: { a: 1 } }, expected: { counts: { a: 1 } } },
    { name: "optional", given: { next: { token: "t", later: 1 } }, expected: { next: { token: "t" } } },
    { name: "any JSON", given: { raw: { deep: [1] } }, expected: { raw: { deep: [1] } } },
    {
      name: "a text with control characters",
      given: { names: ["a\u001b[31m"] },
      expected: { names: ["a\\u001b[31m"] },
    },
    { name: "any JSON with them", given: { raw: { deep: ["a\u202e"] } }, expected: { raw: { deep: ["a\\u202e"] } } },
  ])("that is $name is read", ({ given, expected }) => {
    expect(readPage({ raw: 1, ...given })).toMatchObject(expected);
  });

  it.each([
    { name: "a map with an element of another type", given: { counts: { a: "one" } } },
    { name: "a list in place of a map", given: { counts: [1] } },
    { name: "optional, with another type", given: { next: "t" } },
    { name: "a list with an element of another type", given: { names: [1] } },
  ])("that is $name is an error", ({ given }) => {
    expect(() => readPage({ raw: 1, ...given })).toThrow(TypeError);
  });
});
