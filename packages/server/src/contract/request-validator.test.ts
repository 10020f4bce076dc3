import { create, createRegistry } from "@bufbuild/protobuf";
import { DeleteItemRequestSchema, ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { publicContract } from "./contract.js";
import { createRequestValidator } from "./request-validator.js";

const validate = publicContract.createValidator([DeleteItemRequestSchema]);

describe("the bounds of the contract (DECISIONS 2 and 3)", () => {
  it("names each field by its JSON name, reports missing fields as required, and never repeats a value", async () => {
    const violations = await validate(create(DeleteItemRequestSchema, { vaultId: "sec/ret", itemId: "" }));
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
  ])("validates an identifier with %s", async (_, vaultId, violations) => {
    expect(await validate(create(DeleteItemRequestSchema, { vaultId, itemId: "i", baseVersion: 1 }))).toHaveLength(
      violations,
    );
  });

  it("cannot be created for a message that the contract does not contain", () => {
    const unconstrained = { ...DeleteItemRequestSchema, typeName: "platform.v1.Unknown" };
    expect(() => publicContract.createValidator([unconstrained])).toThrow(TypeError);
  });

  it("throws for a message it was not created for", () => {
    expect(() => validate(create(ItemSchema))).toThrow(/no constraints for platform.v1.Item/);
  });
});

describe("loading protovalidate", () => {
  const registry = createRegistry(...[...publicContract.operations.values()].map(({ method }) => method.input));
  const valid = create(DeleteItemRequestSchema, { vaultId: "v", itemId: "i", baseVersion: 1 });
  const invalid = create(DeleteItemRequestSchema, { vaultId: "v", itemId: "i" });

  it("happens once, with the first request that is not certainly valid", async () => {
    let loads = 0;
    const validateLate = createRequestValidator(registry, [DeleteItemRequestSchema], () => {
      loads++;
      return import("@bufbuild/protovalidate");
    });
    expect(validateLate(valid)).toEqual([]);
    expect(loads).toBe(0);
    const both = await Promise.all([validateLate(invalid), validateLate(invalid)]);
    expect(both.map((violations) => violations.length)).toEqual([1, 1]);
    expect(loads).toBe(1);
  });

  it("fails requests that are not certainly valid, and only those, until it succeeds", async () => {
    const broken = new Error("Cannot find package '@bufbuild/protovalidate'");
    let loads = 0;
    const validateLate = createRequestValidator(registry, [DeleteItemRequestSchema], () => {
      loads++;
      return loads === 1 ? Promise.reject(broken) : import("@bufbuild/protovalidate");
    });
    await expect(validateLate(invalid)).rejects.toBe(broken);
    expect(validateLate(valid)).toEqual([]);
    expect(await validateLate(invalid)).toHaveLength(1);
  });
});
