import { VersionConflictSchema } from "@platform-rpc/types";
import type { VersionConflict } from "../domain/item.js";
import { type RpcError, rpcError } from "./rpc-error.js";

/** VERSION_CONFLICT, with the detail that says where the item stands. */
export function versionConflict({ vaultId, sequence, ...conflict }: VersionConflict): RpcError {
  return rpcError("VERSION_CONFLICT", {
    detail: { desc: VersionConflictSchema, value: { ...conflict, cursor: { vaultId, sequence } } },
  });
}
