import { Code, ConnectError } from "@connectrpc/connect";
import { StorageError } from "../ports/storage.js";
import { RpcError, rpcError } from "./rpc-error.js";

/** How long to wait before trying again what is unavailable, in milliseconds. */
const pause = 1000;

/** UNAVAILABLE, with the time after which to try again. */
export function unavailable(): RpcError {
  return rpcError("UNAVAILABLE", { retryAfterMs: pause });
}

/**
 * Whatever was thrown, as an error that callers may see. What is not meant for them becomes INTERNAL: its text may
 * repeat what it was given.
 */
export function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof StorageError) {
    switch (thrown.reason) {
      case "unavailable":
      case "full":
      case "damaged":
      case "lost":
      case "contended":
        return unavailable();
      case "sequence_exhausted":
        return rpcError("SEQUENCE_EXHAUSTED");
      case "dropped":
        return rpcError("DEADLINE_EXCEEDED");
    }
  }
  // A handler that watches its signal may end with Connect's own words for it.
  if (thrown instanceof ConnectError && thrown.code === Code.DeadlineExceeded) return rpcError("DEADLINE_EXCEEDED");
  return rpcError("INTERNAL");
}
