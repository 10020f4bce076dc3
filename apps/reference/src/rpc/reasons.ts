import { createRpcErrors, type RpcError, readReasons, rpcError, type Violation } from "@platform-rpc/server";
import { type InternalErrorReason, InternalErrorReasonSchema } from "@platform-rpc/types-internal";

/** A reason of the private operations, as it stands on the wire. */
export type InternalReason = Exclude<keyof typeof InternalErrorReason, "UNSPECIFIED">;

/** Makes an error with a reason of the private operations. Those of the public contract come from `rpcError`. */
export const internalRpcError = createRpcErrors<InternalReason>(readReasons(InternalErrorReasonSchema), {
  VAULT_ALREADY_EXISTS: "The vault exists already, with another retention. Use it as it is, or choose another id.",
  ITEM_SHREDDED: "The item's retention is over and its content is gone. There is nothing to restore.",
  CURSOR_AHEAD:
    "The cursor is ahead of the vault: a backup was restored. Forget what you have of the vault, and start again from 0.",
  OAUTH_CLIENT_NOT_FOUND: "There is no such OAuth client, or it is not enabled. Set it first.",
  USER_CODE_INVALID: "The user code cannot be used. Check it, or start a new device authorization.",
  DEVICE_AUTHORIZATION_DECIDED: "The device authorization is not pending any more. Start a new one.",
  BACKUP_FILE_EXISTS: "The file exists, and a backup never replaces one. Choose another name, or remove the file.",
  BACKUP_NOT_WRITABLE: "The file cannot be written. Choose another folder.",
  BACKUP_IN_PROGRESS: "Another backup is being made. Wait until it is complete, then try again.",
  BACKUP_FAILED: "The backup failed. Check that both disks are healthy and have room, then try again.",
});

/** INVALID_FIELD, with what is wrong. */
export function invalidFields(violations: readonly Violation[]): RpcError {
  return rpcError("INVALID_FIELD", { violations });
}
