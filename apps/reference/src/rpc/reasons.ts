import { createRpcErrors, readContract } from "@platform-rpc/server";
import { descriptorSet } from "@platform-rpc/types-internal/descriptor-set";
import type { EveryCallReason, OperationReasons } from "@platform-rpc/types-internal/operation-reasons";

/** The contract of the private operations, together with the public one. */
export const internalContract = readContract(descriptorSet);

const createError = createRpcErrors<string>(internalContract.reasons);

/** Returns a function that creates errors of one operation. A reason that the operation does not list is a compile-time error. */
export function rpcErrorOf<Operation extends keyof OperationReasons>(_operation: Operation) {
  return (reason: OperationReasons[Operation] | EveryCallReason, extras?: Parameters<typeof createError>[1]) =>
    createError(reason, extras);
}
