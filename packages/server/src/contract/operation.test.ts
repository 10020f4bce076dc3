import { RetrySafety, Visibility } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { completeOptions, deleteItemWithOptions } from "../../test/wire/delete-item-with-options.js";
import { readOperation } from "./operation.js";

describe("a server does not start when an operation lacks its options (DECISIONS 1)", () => {
  it.each([
    ["no options", undefined],
    ["no visibility", { ...completeOptions, visibility: Visibility.UNSPECIFIED }],
    ["no scopes", { ...completeOptions, requiredScopes: [] }],
    ["no retry safety", { ...completeOptions, retrySafety: RetrySafety.UNSPECIFIED }],
  ])("rejects an operation with %s", (_, options) => {
    expect(() => readOperation(deleteItemWithOptions(options))).toThrow(
      /VaultService\/DeleteItem must set its visibility/,
    );
  });
});

describe("deprecations are announced by headers, 180 days ahead (DECISIONS 8)", () => {
  const deprecation = { deprecatedOn: "2027-01-01", sunsetOn: "2027-06-30" };

  it("turns the days into the headers of RFC 9745 and RFC 8594", () => {
    expect(readOperation(deleteItemWithOptions({ ...completeOptions, deprecation }, true)).deprecationHeaders).toEqual([
      ["Deprecation", "@1798761600"],
      ["Sunset", "Wed, 30 Jun 2027 00:00:00 GMT"],
      ["Link", '<../docs/api/operations/DeleteItem>; rel="deprecation"; type="text/html"'],
    ]);
  });

  it.each([
    ["no days", completeOptions, true],
    ["days, but without deprecated = true", { ...completeOptions, deprecation }, false],
    ["only 179 days' notice", { ...completeOptions, deprecation: { ...deprecation, sunsetOn: "2027-06-29" } }, true],
    ["an invalid day", { ...completeOptions, deprecation: { ...deprecation, deprecatedOn: "soon" } }, true],
    ["no sunset", { ...completeOptions, deprecation: { ...deprecation, sunsetOn: "" } }, true],
  ])("rejects a deprecation with %s", (_, options, deprecated) => {
    expect(() => readOperation(deleteItemWithOptions(options, deprecated))).toThrow(/deprecated/);
  });
});
