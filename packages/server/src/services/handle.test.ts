import { create } from "@bufbuild/protobuf";
import { createContextValues, createHandlerContext } from "@connectrpc/connect";
import { DeleteItemRequestSchema, VaultService } from "@platform-rpc/types";
import { describe, expect, it, vi } from "vitest";
import type { RequestValidator } from "../contract/request-validator.js";
import type { Call } from "./call.js";
import { callKey } from "./call.js";
import { checkedMethod, handle } from "./handle.js";
import { RpcError, rpcError, rpcErrorOf } from "./rpc-error.js";

const request = create(DeleteItemRequestSchema);
const call: Call = {
  actor: { tenantId: "t", principalId: "p", oauthClientId: "c", tokenId: "j", operation: "o", requestId: "r" },
  wanted: () => true,
};
const contextOf = (admitted: Call | undefined) =>
  createHandlerContext({
    service: VaultService,
    method: VaultService.method.deleteItem,
    protocolName: "connect",
    requestMethod: "POST",
    url: "https://api.example/",
    contextValues: createContextValues().set(callKey, admitted),
  });
const context = contextOf(call);
const missing = { field: "vaultId", description: "is required" };
const badHeader = { field: "Idempotency-Key", description: "must be visible ASCII" };

describe("the implementation of a checked method", () => {
  it("returns the promise of the handler itself when the validator returns no promise", () => {
    const promise = Promise.resolve({});
    const handle = vi.fn(() => promise);
    expect(checkedMethod(() => [], handle)(request, context)).toBe(promise);
    expect(handle).toHaveBeenCalledWith(request, call, context);
  });

  it("runs the handler for a request that the validator accepts later", async () => {
    expect(
      await checkedMethod(
        async () => [],
        async () => "handled",
      )(request, context),
    ).toBe("handled");
  });

  it.each<[string, RequestValidator]>([
    ["at once", () => [missing]],
    ["later", async () => [missing]],
  ])("rejects with all violations when the validator finds some %s", async (_, validate) => {
    const handle = vi.fn(async () => ({}));
    const method = checkedMethod(validate, handle, () => [badHeader]);
    const rejection = expect(async () => method(request, context)).rejects;
    await rejection.toBeInstanceOf(RpcError);
    await rejection.toMatchObject({ reason: "INVALID_FIELD", extras: { violations: [missing, badHeader] } });
    expect(handle).not.toHaveBeenCalled();
  });

  it("validates nothing for a call that no gate has admitted", () => {
    const validate = vi.fn(() => []);
    const method = checkedMethod(validate, async () => ({}));
    expect(() => method(request, contextOf(undefined))).toThrow(/unauthenticated/);
    expect(validate).not.toHaveBeenCalled();
  });
});

it("an operation fails with its own reasons and those of every call, and with no other", () => {
  const error = rpcErrorOf("platform.v1.VaultService/DeleteItem");
  expect(error("ITEM_NOT_FOUND").reason).toBe("ITEM_NOT_FOUND");
  expect(error("INTERNAL").reason).toBe("INTERNAL");
  // @ts-expect-error: the contract does not list the reason for this operation.
  expect(error("DEVICE_CODE_INVALID").reason).toBe("DEVICE_CODE_INVALID");
});

describe("the handler of an operation", () => {
  type Result =
    | { readonly ok: true; readonly version: number }
    | { readonly ok: false; readonly reason: "ITEM_NOT_FOUND" | "DELEGATION_ENDED" }
    | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly current: number };
  const handlerOf = (result: Result) =>
    handle({
      validate: () => [],
      error: rpcErrorOf("platform.v1.VaultService/DeleteItem"),
      run: async () => result,
      answer: ({ version }) => ({ version }),
      errors: {
        VERSION_CONFLICT: ({ current }) => ({ message: `The version is ${current}.` }),
        DELEGATION_ENDED: () => rpcError("UNAUTHENTICATED"),
      },
    });

  it("answers with what the operation returns", async () => {
    expect(await handlerOf({ ok: true, version: 3 })(request, context)).toEqual({ version: 3 });
  });

  it.each<[says: string, rejection: Extract<Result, { ok: false }>, error: object]>([
    ["its reason, by default", { ok: false, reason: "ITEM_NOT_FOUND" }, { reason: "ITEM_NOT_FOUND" }],
    [
      "its reason, and what `errors` adds",
      { ok: false, reason: "VERSION_CONFLICT", current: 7 },
      { reason: "VERSION_CONFLICT", rawMessage: "The version is 7." },
    ],
    ["another reason", { ok: false, reason: "DELEGATION_ENDED" }, { reason: "UNAUTHENTICATED" }],
  ])("fails for a rejection with %s", async (_says, rejection, error) => {
    await expect(handlerOf(rejection)(request, context)).rejects.toMatchObject(error);
  });
});
