import type { ServiceImpl } from "@connectrpc/connect";
import type { VaultService } from "@platform-rpc/types";
import type { RequestValidator } from "../contract/request-validator.js";
import type { DelegationExhausted } from "../domain/delete-item.js";
import { invalidToken } from "./admission.js";
import { handle, versionConflict } from "./handle.js";
import { cursorMessage, itemMessage } from "./item-message.js";
import type { Operations } from "./operations.js";
import { rpcErrorOf } from "./rpc-error.js";

export interface VaultServiceDeps {
  readonly operations: Operations;
  /** The URL of the page on which a person changes what they have approved. Undefined: there is none. */
  readonly delegationPage: string | undefined;
  readonly validate: RequestValidator;
}

/** Creates VaultService: converts messages to domain inputs and results to messages. */
export function createVaultService({
  operations,
  delegationPage,
  validate,
}: VaultServiceDeps): ServiceImpl<typeof VaultService> {
  return {
    deleteItem: handle({
      validate,
      error: rpcErrorOf("platform.v1.VaultService/DeleteItem"),
      run: (request, call) => operations.deleteItem(request, call),
      answer: ({ item }) => ({
        $typeName: "platform.v1.DeleteItemResponse",
        item: itemMessage(item),
        cursor: cursorMessage(item.vaultId, item.sequence),
      }),
      errors: {
        VERSION_CONFLICT: versionConflict,
        DELEGATION_ENDED: invalidToken,
        DELEGATION_EXHAUSTED: (rejection) => delegationExhausted(rejection, delegationPage),
      },
    }),
  };
}

/** Returns the error of a deletion, or a use, beyond the budget of a delegation. @param page where the person changes it, if that is known */
export function delegationExhausted({ allowed, used }: DelegationExhausted, page?: string, of = "deletions") {
  const metadata = { allowed: String(allowed), used: String(used), ...(page !== undefined && { page }) };
  const where = page === undefined ? "" : ` at ${page}`;
  const state =
    used < allowed ? `is too small: ${allowed - used} of ${allowed} are left` : `is used: ${used} of ${allowed}`;
  const message = `The budget of ${of} ${state}. Ask the person who approved to give more${where}, then call again.`;
  return { message, metadata };
}
