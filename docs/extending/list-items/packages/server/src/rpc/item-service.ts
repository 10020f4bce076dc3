import type { ServiceImpl } from "@connectrpc/connect";
import type { ItemService } from "@platform-rpc/types";
import type { RequestValidator } from "../contract/request-validator.js";
import type { createListItems } from "../operations/list-items.js";
import { checkedMethod } from "./checked-method.js";
import { itemMessage } from "./item-message.js";
import { rpcErrorOf } from "./rpc-error.js";

export interface ItemServiceDeps {
  readonly listItems: ReturnType<typeof createListItems>;
  readonly validate: RequestValidator;
}

const listItemsError = rpcErrorOf("platform.v1.ItemService/ListItems");
const unknownPage = { field: "pageToken", description: "is not the nextPageToken of a page of this vault" };

/** Creates ItemService: converts messages to domain inputs and results to messages. */
export function createItemService({ listItems, validate }: ItemServiceDeps): ServiceImpl<typeof ItemService> {
  return {
    listItems: checkedMethod(validate, async (request, call) => {
      const result = await listItems(request, call);
      if (!result.ok) {
        throw result.reason === "PAGE_UNKNOWN"
          ? listItemsError("INVALID_FIELD", { violations: [unknownPage] })
          : listItemsError(result.reason);
      }
      const { items, nextPageToken } = result;
      return { $typeName: "platform.v1.ListItemsResponse", items: items.map(itemMessage), nextPageToken };
    }),
  };
}
