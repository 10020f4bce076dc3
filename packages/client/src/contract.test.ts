import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { ErrorReasonSchema, IdentityGatewayService, operation, RetrySafety, VaultService } from "@platform-rpc/types";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type ContractErrorReason, deleteItemOperation, exchangeOperation, isReasonName } from "./contract.js";

const retrySafetyOf = (method: DescMethod) => [
  `${method.parent.typeName}/${method.name}`,
  { IDEMPOTENT: false, WITH_KEY: true, NONE: undefined, UNSPECIFIED: undefined }[
    RetrySafety[getOption(method, operation).retrySafety] ?? ""
  ],
];

describe("DECISIONS section 1: the client's retries read the option of the contract", () => {
  it.each([
    { constant: deleteItemOperation, method: VaultService.method.deleteItem },
    { constant: exchangeOperation, method: IdentityGatewayService.method.exchangeMcpOauthDeviceAuthorization },
  ])("$constant.path is what the descriptor says", ({ constant, method }) => {
    expect([constant.path, constant.keyed]).toEqual(retrySafetyOf(method));
  });

  it("there is no other operation", () => {
    expect(VaultService.methods.length + IdentityGatewayService.methods.length).toBe(2);
  });

  it("the reasons are those of platform.v1.ErrorReason, and each is recognized", () => {
    const names = ErrorReasonSchema.values.filter(({ number }) => number !== 0).map(({ localName }) => localName);
    expect(names.filter((name) => !isReasonName(name))).toEqual([]);
    expectTypeOf<"VERSION_CONFLICT">().toExtend<ContractErrorReason>();
    expectTypeOf<"UNSPECIFIED" | "ANOTHER">().not.toExtend<ContractErrorReason>();
  });
});
