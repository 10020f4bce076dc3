import type { Message } from "@bufbuild/protobuf";
import type { Operations } from "@platform-rpc/server";
import {
  type CreateError,
  cursorMessage,
  handle,
  type Item,
  type ItemContent,
  itemMessage,
  type RequestValidator,
  type RpcError,
  type VaultPlace,
  versionConflict,
} from "@platform-rpc/server/host";
import type { EncryptedPayload, WrappedKey } from "@platform-rpc/types";

interface ContentFields {
  readonly kind: string;
  readonly titleHash: string;
  readonly encryptedPayload?: EncryptedPayload | undefined;
  readonly wrappedKeys: readonly WrappedKey[];
}

/** The violation of a request for a new item at a version that only an existing item can have. */
const itemIdRequired = { field: "itemId", description: "is required when baseVersion is above 0" };

/** Returns the content of an item in a request that satisfies the contract. */
export function contentIn({ kind, titleHash, encryptedPayload, wrappedKeys }: ContentFields): ItemContent {
  if (encryptedPayload === undefined) throw new TypeError("the contract requires encryptedPayload");
  const { alg, nonce, aad, ciphertext, version } = encryptedPayload;
  return {
    kind,
    titleHash,
    encryptedPayload: { alg, nonce, aad, ciphertext, version },
    wrappedKeys: wrappedKeys.map(({ recipientId, wrapAlg, wrappedKey }) => ({ recipientId, wrapAlg, wrappedKey })),
  };
}

export function itemWithCursor(item: Item) {
  return { item: itemMessage(item), cursor: cursorMessage(item.vaultId, item.sequence) };
}

export function changePage(vaultId: string, page: ChangePage) {
  return {
    changes: page.items.map((item) => ({ sequence: item.sequence, item: itemMessage(item) })),
    cursor: cursorMessage(vaultId, page.sequence),
    hasMore: page.hasMore,
  };
}

export interface ChangePage {
  readonly items: readonly Item[];
  readonly sequence: number;
  readonly hasMore: boolean;
}

interface ItemFields extends Message {
  readonly vaultId: string;
  readonly itemId: string;
}

export interface ItemHandlerDeps<Request> {
  readonly operations: Operations;
  readonly validate: RequestValidator;
  /** Returns the vault of a request, and as whom it is accessed. */
  readonly placeOf: (request: Request) => VaultPlace;
}

export function putItemHandler<Request extends ItemFields & ContentFields & { readonly baseVersion: number }>(
  { operations, validate, placeOf }: ItemHandlerDeps<Request>,
  error: CreateError<"VAULT_NOT_FOUND" | "ITEM_NOT_FOUND" | "VERSION_CONFLICT">,
  roleForbids: () => RpcError,
) {
  return handle({
    validate,
    error,
    violations: ({ itemId, baseVersion }: Request) => (itemId === "" && baseVersion > 0 ? [itemIdRequired] : []),
    run(request: Request, call) {
      const { itemId, baseVersion } = request;
      return operations.putItem({ ...placeOf(request), itemId, baseVersion, ...contentIn(request) }, call);
    },
    answer: ({ item }) => itemWithCursor(item),
    errors: { VERSION_CONFLICT: versionConflict, ROLE_FORBIDS_CHANGE: roleForbids },
  });
}

export function restoreItemHandler<Request extends ItemFields & { readonly baseVersion: number }>(
  { operations, validate, placeOf }: ItemHandlerDeps<Request>,
  error: CreateError<"VAULT_NOT_FOUND" | "ITEM_NOT_FOUND" | "ITEM_SHREDDED" | "VERSION_CONFLICT">,
  roleForbids: () => RpcError,
) {
  return handle({
    validate,
    error,
    run(request: Request, call) {
      const { itemId, baseVersion } = request;
      return operations.restoreItem({ ...placeOf(request), itemId, baseVersion }, call);
    },
    answer: ({ item }) => itemWithCursor(item),
    errors: { VERSION_CONFLICT: versionConflict, ROLE_FORBIDS_CHANGE: roleForbids },
  });
}

export function getItemHandler<Request extends ItemFields>(
  { operations, validate, placeOf }: ItemHandlerDeps<Request>,
  error: CreateError<"VAULT_NOT_FOUND" | "ITEM_NOT_FOUND">,
) {
  return handle({
    validate,
    error,
    run: (request: Request, call) => operations.getItem({ ...placeOf(request), itemId: request.itemId }, call),
    answer: ({ item }) => itemWithCursor(item),
  });
}
