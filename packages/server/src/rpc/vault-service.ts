import type { ServiceImpl } from "@connectrpc/connect";
import type { VaultService } from "@platform-rpc/types";
import type { RequestValidator } from "../contract/request-validator.js";
import type { createDeleteItem } from "../operations/delete-item.js";
import { checkedMethod } from "./checked-method.js";
import { cursorMessage, itemMessage } from "./item-message.js";
import { rpcErrorOf } from "./rpc-error.js";
import { versionConflict } from "./version-conflict.js";

export interface VaultServiceDeps {
  readonly deleteItem: ReturnType<typeof createDeleteItem>;
  readonly validate: RequestValidator;
}

const deleteItemError = rpcErrorOf("platform.v1.VaultService/DeleteItem");

/** Creates VaultService: converts messages to domain inputs and results to messages. */
export function createVaultService({ deleteItem, validate }: VaultServiceDeps): ServiceImpl<typeof VaultService> {
  return {
    deleteItem: checkedMethod(validate, async (request, call) => {
      const result = await deleteItem(request, call);
      if (!result.ok) {
        throw result.reason === "VERSION_CONFLICT"
          ? versionConflict(result.conflict, deleteItemError)
          : deleteItemError(result.reason);
      }
      const { item } = result;
      return {
        $typeName: "platform.v1.DeleteItemResponse",
        item: itemMessage(item),
        cursor: cursorMessage(item.vaultId, item.sequence),
      };
    }),
  };
}
