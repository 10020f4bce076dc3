import { create, createFileRegistry, setExtension } from "@bufbuild/protobuf";
import {
  EnumDescriptorProtoSchema,
  EnumValueDescriptorProtoSchema,
  EnumValueOptionsSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { DeleteItemRequestSchema, ErrorReasonSchema, IdentityGatewayService, VaultService } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { Code as ReasonCode, ReasonOptionsSchema, reason } from "../gen/platform/options/v1/reason_pb.js";
import { StorageError } from "../ports/storage.js";
import { collectRoutes } from "../services/routes.js";
import { rpcError } from "../services/rpc-error.js";
import { toRpcError } from "../services/to-rpc-error.js";
import { errorTable } from "../wire/expect-rpc-error.js";
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

  it("contains only codes of Connect: clients turn unknown codes into internal", () => {
    for (const { code } of publicContract.reasons.values()) expect(Code[code]).toBeDefined();
  });

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

  it("rejects an operation without options", () => {
    const { options: _, ...proto } = VaultService.method.deleteItem.proto;
    const bare = { ...VaultService.method.deleteItem, proto: { ...proto, $unknown: [] } };
    expect(() => readOperation(bare)).toThrow(/must set/);
  });

  it("routes have the paths of SPEC section 4", () => {
    const routes = collectRoutes((router) => {
      router.service(VaultService, {});
      router.service(IdentityGatewayService, {});
    });
    expect([...routes.keys()]).toEqual(
      expect.arrayContaining([
        "/platform.v1.VaultService/DeleteItem",
        "/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
      ]),
    );
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
    ["secret", "INTERNAL"],
    [undefined, "INTERNAL"],
    [{ reason: "ITEM_NOT_FOUND", httpStatus: 404 }, "INTERNAL"],
  ])("%s: %s", (thrown, reason) => {
    const { reason: found, message } = toRpcError(thrown);
    expect(found).toBe(reason);
    expect(message).not.toContain("secret");
  });

  it("returns an RpcError unchanged", () => {
    const error = rpcError("ITEM_NOT_FOUND");
    expect(toRpcError(error)).toBe(error);
  });
});

describe("the constraints of the contract", () => {
  const validate = publicContract.createValidator([DeleteItemRequestSchema]);
  const good = { vaultId: "v-1", itemId: "i-1", baseVersion: 1 };
  const fieldsOf = async (request: Partial<typeof good>) =>
    (await validate(create(DeleteItemRequestSchema, { ...good, ...request }))).map(({ field }) => field);

  it.each(["a", "A1._:-", "0192f0c1-5a3e-7000-8000-000000000000", "a".repeat(128)])(
    "accept the id %j",
    async (vaultId) => {
      expect(await fieldsOf({ vaultId })).toEqual([]);
    },
  );
  it.each(["", "-a", ".a", "_a", "a/b", "a b", "ä", "a\n", "a\u0000", "a".repeat(129), "a%41"])(
    "reject the id %j",
    async (id) => {
      expect(await fieldsOf({ vaultId: id })).toContain("vaultId");
      expect(await fieldsOf({ itemId: id })).toContain("itemId");
    },
  );
  it("name every invalid field, and never its value", async () => {
    const violations = await validate(create(DeleteItemRequestSchema, { vaultId: "can ary", itemId: "can/ary" }));
    expect(new Set(violations.map(({ field }) => field))).toEqual(new Set(["vaultId", "itemId", "baseVersion"]));
    expect(JSON.stringify(violations)).not.toContain("ary");
  });
  it("throw when a validator is created for a message that the contract does not contain", () => {
    const unconstrained = { ...DeleteItemRequestSchema, typeName: "platform.v1.Unknown" };
    expect(() => publicContract.createValidator([unconstrained])).toThrow(TypeError);
  });
});
