import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { rpcError } from "./rpc-error.js";
import { toRpcError } from "./to-rpc-error.js";

class HttpError extends ConnectError {
  readonly reason = "ITEM_NOT_FOUND";
  readonly httpStatus = 404;
}

it("returns an RpcError unchanged", () => {
  const error = rpcError("ITEM_NOT_FOUND");
  expect(toRpcError(error)).toBe(error);
});

it.each([
  ["an Error", new Error("canary")],
  ["a value that is not an Error", "canary"],
  ["a ConnectError", new ConnectError("canary", Code.NotFound)],
  ["a subclass of ConnectError", new HttpError("canary", Code.NotFound)],
])("converts %s to INTERNAL, without its message", (_, thrown) => {
  const error = toRpcError(thrown);
  expect(error.reason).toBe("INTERNAL");
  expect(error.message).not.toContain("canary");
});
