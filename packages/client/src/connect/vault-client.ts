import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Cursor,
  type DeleteItemRequest,
  type DeleteItemRequestSchema,
  type DeleteItemResponse,
  type EncryptedPayload,
  type Item,
  VaultService,
} from "@platform-rpc/types";
import type { CallOptions } from "../call-options.js";
import type { Answered } from "../caller.js";
import { deleteItemOperation } from "../contract.js";
import type { ConnectCaller } from "./connect-caller.js";

/** Names the item and the version that the caller last saw. All three are required. */
export type DeleteItemInput = MessageInitShape<typeof DeleteItemRequestSchema> &
  Pick<DeleteItemRequest, "vaultId" | "itemId" | "baseVersion">;

/** A `DeleteItemResponse` as the contract promises it: with everything that is always present. */
export type CompleteDeleteItemResponse = DeleteItemResponse & {
  readonly item: Item & {
    readonly updatedAt: NonNullable<Item["updatedAt"]>;
    readonly encryptedPayload: EncryptedPayload;
  };
  readonly cursor: Cursor;
};

/** The tombstone, the position of its deletion, and the request id. */
export type DeleteItemResult = Answered<CompleteDeleteItemResponse>;

/** The operations on the items of a vault. */
export interface VaultClient {
  /**
   * Deletes an item, if it is still at `baseVersion`: the version that the caller last saw.
   *
   * Idempotent: the same call again writes nothing, and answers the same.
   *
   * Rejects with a `PlatformError`; of this operation's own reasons `VERSION_CONFLICT` tells where the item stands.
   *
   * @example
   * ```ts
   * const { item, cursor } = await client.vault.deleteItem({ vaultId, itemId, baseVersion: 3 });
   * console.log(item.deleted, item.version, cursor.sequence);
   * // true 4 2
   * ```
   *
   * @see SPEC section 4.1
   */
  deleteItem(request: DeleteItemInput, options?: CallOptions): Promise<DeleteItemResult>;
}

export function createVaultClient(call: ConnectCaller): VaultClient {
  const deleteItem = {
    operation: deleteItemOperation,
    method: VaultService.method.deleteItem,
    isComplete,
  };
  return { deleteItem: (request, options) => call(deleteItem, request, options) };
}

function isComplete(answer: DeleteItemResponse): answer is CompleteDeleteItemResponse {
  const { item, cursor } = answer;
  return item?.updatedAt !== undefined && item.encryptedPayload !== undefined && cursor !== undefined;
}
