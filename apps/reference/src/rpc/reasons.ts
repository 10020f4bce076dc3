import { createRpcErrors, type RpcError, readContract, rpcError, type Violation } from "@platform-rpc/server";
import type { InternalErrorReason } from "@platform-rpc/types-internal";
import { descriptorSet } from "@platform-rpc/types-internal/descriptor-set";

/** A reason of the private operations, as it stands on the wire. */
export type InternalReason = Exclude<keyof typeof InternalErrorReason, "UNSPECIFIED">;

/** The contract of the private operations. */
export const internalContract = readContract(descriptorSet);

/** Creates an error with a reason of the private operations. Those of the public contract come from `rpcError`. */
export const internalRpcError = createRpcErrors<InternalReason>(internalContract.reasons);

/** INVALID_FIELD, with what is wrong. */
export function invalidFields(violations: readonly Violation[]): RpcError {
  return rpcError("INVALID_FIELD", { violations });
}
