import { RetrySafety, VaultService, Visibility } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { complete, deleteItemSaying } from "../wire/delete-item-saying.js";
import { readOperation } from "./operation.js";

describe("a server rejects to start when an operation lacks its options (DECISIONS 1)", () => {
  it.each([
    ["no options", undefined],
    ["no visibility", { ...complete, visibility: Visibility.UNSPECIFIED }],
    ["no scopes", { ...complete, requiredScopes: [] }],
    ["no retry safety", { ...complete, retrySafety: RetrySafety.UNSPECIFIED }],
  ])("%s", (_, options) => {
    expect(() => readOperation(deleteItemSaying(options))).toThrow(/VaultService\/DeleteItem must set its visibility/);
  });

  it("accepts the operations of the contract", () => {
    expect(readOperation(VaultService.method.deleteItem)).toMatchObject({
      ...complete,
      operation: "platform.v1.VaultService/DeleteItem",
      deprecationHeaders: [],
    });
  });
});

describe("deprecations are announced by headers, 180 days ahead (DECISIONS 8)", () => {
  const deprecation = { deprecatedOn: "2027-01-01", sunsetOn: "2027-06-30" };

  it("turns the days into the headers of RFC 9745 and RFC 8594", () => {
    expect(readOperation(deleteItemSaying({ ...complete, deprecation }, true)).deprecationHeaders).toEqual([
      ["Deprecation", "@1798761600"],
      ["Sunset", "Wed, 30 Jun 2027 00:00:00 GMT"],
    ]);
  });

  it.each([
    ["marked deprecated, without days", complete, true],
    ["days, but not marked deprecated", { ...complete, deprecation }, false],
    ["179 days", { ...complete, deprecation: { ...deprecation, sunsetOn: "2027-06-29" } }, true],
    ["an invalid day", { ...complete, deprecation: { ...deprecation, deprecatedOn: "soon" } }, true],
    ["no sunset", { ...complete, deprecation: { ...deprecation, sunsetOn: "" } }, true],
  ])("rejects: %s", (_, options, deprecated) => {
    expect(() => readOperation(deleteItemSaying(options, deprecated))).toThrow(/deprecated/);
  });
});
