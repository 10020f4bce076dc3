import { create, type DescMessage, toJson } from "@bufbuild/protobuf";
import { VersionConflictSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { versionConflictShape } from "../error/error-answer.js";
import { rebuild, type Shape } from "./rebuild.js";

/** The fields of a message, empty. */
const empty = (schema: DescMessage, init = {}): unknown =>
  JSON.parse(JSON.stringify(toJson(schema, create(schema, init), { alwaysEmitImplicit: true })), (_, value) =>
    value === "1970-01-01T00:00:00Z" ? "" : value,
  );

it("the shape of VersionConflict is that of the contract", () => {
  expect(versionConflictShape).toEqual(empty(VersionConflictSchema, { cursor: {} }));
});

describe("rebuild", () => {
  const conflict = { itemId: "item-1", baseVersion: 1, currentVersion: 2, deleted: true };
  const cursor = { vaultId: "vault-1", sequence: 3 };

  it("puts in what stands for absence, and drops what the shape does not show", () => {
    const value = JSON.parse('{"itemId":"item-1","deleted":null,"cursor":{"later":[1]},"__proto__":{"baseVersion":7}}');
    expect(rebuild(versionConflictShape, value)).toEqual({
      ...{ itemId: "item-1", baseVersion: 0, currentVersion: 0, deleted: false },
      cursor: { vaultId: "", sequence: 0 },
    });
  });

  it.each([
    { name: "no message", value: conflict },
    { name: "a number for a text", value: { ...conflict, cursor, itemId: 1 } },
    { name: "a text for a truth", value: { ...conflict, cursor, deleted: "true" } },
    { name: "a text for a number", value: { ...conflict, cursor, currentVersion: "2" } },
    { name: "null", value: null },
    { name: "a text", value: "conflict" },
  ])("refuses $name", ({ value }) => {
    expect(rebuild(versionConflictShape, value)).toBeUndefined();
  });

  interface Page {
    readonly names: readonly string[];
    readonly counts: { readonly [key: string]: number };
    readonly next?: { readonly token: string } | undefined;
    readonly raw: unknown;
  }
  const shape: Shape<Page> = { names: [""], counts: new Map([["", 0]]), next: () => ({ token: "" }), raw: null };

  it.each([undefined, []])("a list that is %j is empty", (names) => {
    expect(rebuild<Page>(shape, { names, raw: 1 })).toEqual({ names: [], counts: {}, raw: 1 });
  });

  it.each([
    { name: "a map", given: { counts: { a: 1 } }, expected: { counts: { a: 1 } } },
    { name: "an optional field", given: { next: { token: "t", later: 1 } }, expected: { next: { token: "t" } } },
    { name: "any JSON", given: { raw: { deep: [1] } }, expected: { raw: { deep: [1] } } },
  ])("keeps $name", ({ given, expected }) => {
    expect(rebuild<Page>(shape, { raw: 1, ...given })).toMatchObject(expected);
  });

  it.each([
    { name: "a map with an element of another type", given: { counts: { a: "1" } } },
    { name: "a map that is a list", given: { counts: [1] } },
    { name: "an optional field of another type", given: { next: "t" } },
    { name: "an element of another type", given: { names: [1] } },
  ])("rejects $name", ({ given }) => {
    expect(rebuild<Page>(shape, { raw: 1, ...given })).toBeUndefined();
  });
});
