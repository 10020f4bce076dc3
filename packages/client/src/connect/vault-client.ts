import {
  type Cursor,
  type DeleteItemRequest,
  type DeleteItemResponse,
  type EncryptedPayload,
  type Item,
  VaultService,
} from "@platform-rpc/types";
import type { Answered } from "../call/call.js";
import type { CallOptions } from "../call/call-options.js";
import { deleteItemOperation } from "../contract.js";
import type { ConnectCaller } from "./connect-caller.js";

/** Identifies the item and the version the caller last saw. All three fields are required. */
export type DeleteItemInput = Pick<DeleteItemRequest, "vaultId" | "itemId" | "baseVersion">;

/** A `DeleteItemResponse` with everything that the contract promises. */
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
   * Deletes an item if it is still at `baseVersion`, the version that the caller last saw.
   *
   * Idempotent: the same call again writes nothing and returns the same result.
   *
   * Rejects with a `PlatformError`; with `VERSION_CONFLICT`, `detail` is the current state of the item.
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
