import { expect, it } from "vitest";
import { rpcErrorOf } from "./rpc-error.js";

it("an operation fails with its own reasons and those of every call, and with no other", () => {
  const error = rpcErrorOf("platform.v1.VaultService/DeleteItem");
  expect(error("ITEM_NOT_FOUND").reason).toBe("ITEM_NOT_FOUND");
  expect(error("INTERNAL").reason).toBe("INTERNAL");
  // @ts-expect-error: the contract does not list the reason for this operation.
  expect(error("DEVICE_CODE_INVALID").reason).toBe("DEVICE_CODE_INVALID");
});
