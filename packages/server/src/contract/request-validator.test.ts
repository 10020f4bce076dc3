import { create } from "@bufbuild/protobuf";
import { DeleteItemRequestSchema, ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { publicContract } from "./contract.js";

const validate = publicContract.createValidator([DeleteItemRequestSchema]);

describe("the bounds of the contract (DECISIONS 2 and 3)", () => {
  it("returns no violations for a valid request", () => {
    expect(validate(create(DeleteItemRequestSchema, { vaultId: "v", itemId: "i:1.2_3-4", baseVersion: 1 }))).toEqual(
      [],
    );
  });

  it("names each field by its JSON name, reports missing fields as required, and never repeats a value", () => {
    const violations = validate(create(DeleteItemRequestSchema, { vaultId: "sec/ret", itemId: "" }));
    expect(violations).toEqual([
      { field: "vaultId", description: expect.stringContaining("regex pattern") },
      { field: "itemId", description: "is required" },
      { field: "baseVersion", description: "is required" },
    ]);
    expect(JSON.stringify(violations)).not.toContain("sec/ret");
  });

  it.each([
    ["128 characters", "v".repeat(128), 0],
    ["129 characters", "v".repeat(129), 1],
    ["a leading dot", ".v", 1],
    ["a line break at the end", "v\n", 1],
  ])("validates an identifier with %s", (_, vaultId, violations) => {
    expect(validate(create(DeleteItemRequestSchema, { vaultId, itemId: "i", baseVersion: 1 }))).toHaveLength(
      violations,
    );
  });

  it("throws for a message it was not created for", () => {
    expect(() => validate(create(ItemSchema))).toThrow(/no constraints for platform.v1.Item/);
  });
});
