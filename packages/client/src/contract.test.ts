import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { ErrorReasonSchema, IdentityGatewayService, operation, RetrySafety, VaultService } from "@platform/types";
import { describe, expect, it } from "vitest";
import { contractErrorReasons, deleteItemOperation, exchangeOperation } from "./contract.js";

const told = (method: DescMethod) => ({
  service: method.parent.typeName,
  method: method.name,
  retrySafety: RetrySafety[getOption(method, operation).retrySafety],
});

describe("DECISIONS section 1: the client's retries read the option of the contract", () => {
  it.each([
    { constant: deleteItemOperation, method: VaultService.method.deleteItem },
    { constant: exchangeOperation, method: IdentityGatewayService.method.exchangeMcpOauthDeviceAuthorization },
  ])("$constant.method is what the descriptor says", ({ constant, method }) => {
    expect(constant).toEqual(told(method));
  });

  it("there is no other operation", () => {
    expect(VaultService.methods.length + IdentityGatewayService.methods.length).toBe(2);
  });

  it("the reasons are those of platform.v1.ErrorReason", () => {
    const names = ErrorReasonSchema.values.filter(({ number }) => number !== 0).map(({ localName }) => localName);
    expect(contractErrorReasons).toEqual(names);
  });
});
