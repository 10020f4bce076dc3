import { type DescMethod, getOption } from "@bufbuild/protobuf";
import * as types from "@platform-rpc/types";
import { ErrorReasonSchema, operation, RetrySafety } from "@platform-rpc/types";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type ContractErrorReason, isReasonName } from "./error/code-and-reason.js";
import { operations } from "./gen/operations.js";

const services = Object.values(types).filter((value) => "kind" in value && value.kind === "service");
const methods: readonly DescMethod[] = services.flatMap((service) => service.methods);

describe("DECISIONS section 1: the client retries as the contract defines", () => {
  it.each(operations)("$path has the retry safety of the contract", ({ path, retrySafety: safety }) => {
    const method = methods.find(({ parent, name }) => `${parent.typeName}/${name}` === path);
    expect(method).toBeDefined();
    if (method === undefined) return;
    expect(safety.toUpperCase()).toBe(RetrySafety[getOption(method, operation).retrySafety]);
  });

  it("the reasons are those of platform.v1.ErrorReason, and each is recognized", () => {
    const names = ErrorReasonSchema.values.filter(({ number }) => number !== 0).map(({ localName }) => localName);
    expect(names.filter((name) => !isReasonName(name))).toEqual([]);
    expectTypeOf<"VERSION_CONFLICT">().toExtend<ContractErrorReason>();
    expectTypeOf<"UNSPECIFIED" | "ANOTHER">().not.toExtend<ContractErrorReason>();
  });
});
