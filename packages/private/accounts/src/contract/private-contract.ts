import { createRpcErrors } from "@platform-rpc/server";
import { type Contract, readContract } from "@platform-rpc/server/host";
import { descriptorSet } from "@platform-rpc/types-internal/descriptor-set";
import { writeJson } from "@platform-rpc/types-internal/json-writers";
import type { EveryCallReason, OperationReasons } from "@platform-rpc/types-internal/operation-reasons";

/** The contract of the private operations, together with the public one. */
export const internalContract: Contract = {
  ...readContract(descriptorSet, writeJson),
  // Their responses have nothing that is secret and not encrypted.
  compressed: new Set([
    "platform.accounts.v1.MemberVaultService/ListChanges",
    "platform.accounts.v1.MemberVaultService/GetItem",
    "platform.accounts.v1.MemberVaultService/ListEarlierContents",
  ]),
};

/**
 * The contract of the operations that people and agents call. Without those of administrators: no allowlist may name them, and no
 * device can be granted their scopes.
 */
export const callerContract: Contract = {
  ...internalContract,
  operations: new Map([...internalContract.operations].filter(([name]) => !name.startsWith("platform.internal."))),
};

const createError = createRpcErrors<string>(internalContract.reasons);

/** Returns a function that creates errors of one operation. A reason that the operation does not list is a compile-time error. */
export function rpcErrorOf<Operation extends keyof OperationReasons>(_operation: Operation) {
  return (reason: OperationReasons[Operation] | EveryCallReason, extras?: Parameters<typeof createError>[1]) =>
    createError(reason, extras);
}
