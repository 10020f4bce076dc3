import type { ServiceImpl } from "@connectrpc/connect";
import type { VaultService } from "@platform-rpc/types";
import type { RequestValidator } from "../contract/request-validator.js";
import type { createDeleteItem, DeleteItemResult } from "../operations/delete-item.js";
import { invalidToken } from "./admission.js";
import { checkedMethod } from "./checked-method.js";
import { cursorMessage, itemMessage } from "./item-message.js";
import { type RpcError, rpcErrorOf } from "./rpc-error.js";
import { versionConflict } from "./version-conflict.js";

export interface VaultServiceDeps {
  readonly deleteItem: ReturnType<typeof createDeleteItem>;
  /** Returns the URL of the page on which a person changes what they have approved. Undefined: there is none. */
  readonly pageOf: () => string | undefined;
  readonly validate: RequestValidator;
}

const deleteItemError = rpcErrorOf("platform.v1.VaultService/DeleteItem");

/** Creates VaultService: converts messages to domain inputs and results to messages. */
export function createVaultService({
  deleteItem,
  pageOf,
  validate,
}: VaultServiceDeps): ServiceImpl<typeof VaultService> {
  return {
    deleteItem: checkedMethod(validate, async (request, call) => {
      const result = await deleteItem(request, call);
      if (!result.ok) throw rejectionOf(result, pageOf());
      const { item } = result;
      return {
        $typeName: "platform.v1.DeleteItemResponse",
        item: itemMessage(item),
        cursor: cursorMessage(item.vaultId, item.sequence),
      };
    }),
  };
}

function rejectionOf(result: Extract<DeleteItemResult, { ok: false }>, page: string | undefined): RpcError {
  switch (result.reason) {
    case "VERSION_CONFLICT":
      return versionConflict(result.conflict, deleteItemError);
    case "DELEGATION_ENDED":
      return invalidToken();
    case "DELEGATION_EXHAUSTED": {
      const { allowed, used } = result;
      const metadata = { allowed: String(allowed), used: String(used), ...(page !== undefined && { page }) };
      const where = page === undefined ? "" : ` at ${page}`;
      const message = `The budget of deletions is used: ${used} of ${allowed}. Ask the person who approved to give more${where}, then call again.`;
      return deleteItemError("DELEGATION_EXHAUSTED", { message, metadata });
    }
    default:
      return deleteItemError(result.reason);
  }
}
