import { create, createFileRegistry, setExtension } from "@bufbuild/protobuf";
import {
  EnumDescriptorProtoSchema,
  EnumValueDescriptorProtoSchema,
  EnumValueOptionsSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { ErrorReasonSchema, IdentityGatewayService, VaultService } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { errorTable } from "../../test/wire/expect-rpc-error.js";
import { Code as ReasonCode, ReasonOptionsSchema, reason } from "../gen/platform/options/v1/reason_pb.js";
import { StorageError } from "../ports/storage.js";
import { toRpcError } from "../services/to-rpc-error.js";
import { publicContract } from "./contract.js";
import { readOperation } from "./operation.js";
import { readReasons } from "./reasons.js";

describe("DECISIONS 6: the table of reasons, read from the contract", () => {
  it.each(Object.entries(errorTable))("%s is %j", (reason, [code, httpStatus]) => {
    const spec = publicContract.reasons.get(reason);
    expect(spec && codeToString(spec.code)).toBe(code);
    expect(spec?.httpStatus).toBe(httpStatus);
  });

  it("contains every reason of the contract and no other", () => {
    const names = ErrorReasonSchema.values.slice(1).map(({ localName }) => localName);
    expect([...publicContract.reasons.keys()]).toEqual(names);
    expect(Object.keys(errorTable).sort()).toEqual(names.toSorted());
  });

  it.each(["UNAVAILABLE", "DEADLINE_EXCEEDED"])(
    "says that a call that ends with %s may have taken effect",
    (reason) => {
      expect(publicContract.reasons.get(reason)?.message).toMatch(
        /the call may have taken effect\. .*only as the operation's retry safety allows\.$/,
      );
    },
  );

  it.each(["code", "http_status", "message"])("rejects a reason without %s", (missing) => {
    const value = create(EnumValueDescriptorProtoSchema, { name: "PRINTER_ERROR_REASON_OUT_OF_PAPER", number: 1 });
    value.options = create(EnumValueOptionsSchema);
    setExtension(
      value.options,
      reason,
      create(ReasonOptionsSchema, {
        ...(missing !== "code" && { code: ReasonCode.NOT_FOUND }),
        ...(missing !== "http_status" && { httpStatus: 404 }),
        ...(missing !== "message" && { message: "Fill the tray." }),
      }),
    );
    const zero = create(EnumValueDescriptorProtoSchema, { name: "PRINTER_ERROR_REASON_UNSPECIFIED", number: 0 });
    const printer = create(EnumDescriptorProtoSchema, { name: "PrinterErrorReason", value: [zero, value] });
    const file = create(FileDescriptorProtoSchema, { name: "printer.proto", syntax: "proto3", enumType: [printer] });
    expect(() => readReasons(createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })))).toThrow(
      "PrinterErrorReason.PRINTER_ERROR_REASON_OUT_OF_PAPER must have",
    );
  });
});

describe("DECISIONS 1: every operation declares its visibility, scopes and retry safety", () => {
  it("DeleteItem is public, idempotent, and requires vault.items:delete", () => {
    expect(readOperation(VaultService.method.deleteItem)).toMatchObject({
      operation: "platform.v1.VaultService/DeleteItem",
      requiredScopes: ["vault.items:delete"],
      visibility: 1,
      retrySafety: 1,
    });
  });

  it("the exchange is public, safe to retry with a key, and requires identity.device_authorizations:exchange", () => {
    expect(readOperation(IdentityGatewayService.method.exchangeMcpOauthDeviceAuthorization)).toMatchObject({
      requiredScopes: ["identity.device_authorizations:exchange"],
      visibility: 1,
      retrySafety: 2,
    });
  });
});

describe("every thrown value becomes a reason of the contract", () => {
  it.each([
    [new StorageError("unavailable"), "UNAVAILABLE"],
    [new StorageError("full"), "UNAVAILABLE"],
    [new StorageError("damaged"), "UNAVAILABLE"],
    [new StorageError("lost"), "UNAVAILABLE"],
    [new StorageError("contended"), "UNAVAILABLE"],
    [new StorageError("sequence_exhausted"), "SEQUENCE_EXHAUSTED"],
    [new StorageError("dropped"), "DEADLINE_EXCEEDED"],
    [new Error("secret"), "INTERNAL"],
    [new ConnectError("secret", Code.NotFound), "INTERNAL"],
    [undefined, "INTERNAL"],
    [{ reason: "ITEM_NOT_FOUND", httpStatus: 404 }, "INTERNAL"],
  ])("%s: %s", (thrown, reason) => {
    const { reason: found, message } = toRpcError(thrown);
    expect(found).toBe(reason);
    expect(message).not.toContain("secret");
  });
});
