import { Code, ConnectError } from "@connectrpc/connect";
import { StorageError } from "../ports/storage.js";
import { RpcError, rpcError } from "./rpc-error.js";

/** The retry delay of UNAVAILABLE errors, in milliseconds. */
const retryAfterMs = 1000;

/** Creates an UNAVAILABLE error with a retry delay. */
export function unavailable(): RpcError {
  return rpcError("UNAVAILABLE", { retryAfterMs });
}

const notServed =
  "This server does not serve the tenant now, for example because the tenant moves to another one. Nothing was changed. " +
  "Retry after the time in the Retry-After header.";

/** Returns an error that callers may see: unexpected ones become INTERNAL, because their messages may contain input. */
export function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof StorageError) {
    switch (thrown.reason) {
      case "unavailable":
      case "full":
      case "damaged":
      case "lost":
      case "contended":
      case "paused":
        return unavailable();
      case "not_served":
        return rpcError("UNAVAILABLE", { retryAfterMs, metadata: { wrongCell: "true" }, message: notServed });
      case "sequence_exhausted":
        return rpcError("SEQUENCE_EXHAUSTED");
      case "dropped":
        return rpcError("DEADLINE_EXCEEDED");
    }
  }
  // A handler that observes its signal may throw Connect's error for it.
  if (thrown instanceof ConnectError && thrown.code === Code.DeadlineExceeded) return rpcError("DEADLINE_EXCEEDED");
  return rpcError("INTERNAL");
}
