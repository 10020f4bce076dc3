import { type DescMethod, getOption } from "@bufbuild/protobuf";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  ErrorReasonSchema,
  IdentityGatewayService,
  operation,
  RetryInfoSchema,
  RetrySafety,
  VaultService,
  VersionConflictSchema,
} from "@platform-rpc/types";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type ContractErrorReason, deleteItemOperation, exchangeOperation, isErrorName } from "./contract.js";

const told = (method: DescMethod) => [
  `${method.parent.typeName}/${method.name}`,
  { IDEMPOTENT: false, WITH_KEY: true, NONE: undefined, UNSPECIFIED: undefined }[
    RetrySafety[getOption(method, operation).retrySafety] ?? ""
  ],
];

describe("DECISIONS section 1: the client's retries read the option of the contract", () => {
  it.each([
    { constant: deleteItemOperation, method: VaultService.method.deleteItem },
    { constant: exchangeOperation, method: IdentityGatewayService.method.exchangeMcpOauthDeviceAuthorization },
  ])("$constant is what the descriptor says", ({ constant, method }) => {
    expect(constant).toEqual(told(method));
  });

  it("there is no other operation", () => {
    expect(VaultService.methods.length + IdentityGatewayService.methods.length).toBe(2);
  });

  it("the reasons are those of platform.v1.ErrorReason, and each can be told", () => {
    const names = ErrorReasonSchema.values.filter(({ number }) => number !== 0).map(({ localName }) => localName);
    expect(names.filter((name) => !isErrorName(name))).toEqual([]);
    expectTypeOf<"VERSION_CONFLICT">().toExtend<ContractErrorReason>();
    expectTypeOf<"UNSPECIFIED" | "ANOTHER">().not.toExtend<ContractErrorReason>();
  });

  it("no two details of an error have a field in common: they are read as one", () => {
    const details = [ErrorInfoSchema, RetryInfoSchema, BadRequestSchema, VersionConflictSchema];
    const fields = details.flatMap((detail) => detail.fields.map(({ jsonName }) => jsonName));
    expect(new Set(fields).size).toBe(fields.length);
  });
});
