import { VersionConflictSchema } from "@platform-rpc/types";
import type { VersionConflict } from "../domain/item.js";
import { type RpcError, type RpcErrorOptions, rpcError } from "./rpc-error.js";

/**
 * Creates a VERSION_CONFLICT with the current version of the item in its detail. `createError` creates the errors of one
 * operation: its type requires that the operation lists the reason.
 */
export function versionConflict(
  { vaultId, sequence, ...conflict }: VersionConflict,
  createError: (reason: "VERSION_CONFLICT", extras: RpcErrorOptions) => RpcError = rpcError,
): RpcError {
  return createError("VERSION_CONFLICT", {
    detail: { desc: VersionConflictSchema, value: { ...conflict, cursor: { vaultId, sequence } } },
  });
}
