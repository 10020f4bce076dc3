import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { checkedMethod, type Platform } from "@platform-rpc/server";
import {
  cursorMessage,
  delegationExhausted,
  handle,
  type MemberVault,
  type VaultPlace,
} from "@platform-rpc/server/host";
import type {
  CreateVaultKeyRequest,
  CreateVaultRequest,
  DeleteVaultRequest,
  GetItemRequest,
  ListEarlierContentsRequest,
  MemberVaultService,
  PutVaultHeadRequest,
  RenameVaultRequest,
} from "@platform-rpc/types-internal/accounts";
import { rpcErrorOf } from "../contract/private-contract.js";
import { consoleClientId } from "../oauth-clients/first-party-clients.js";
import { wrappedFor } from "../vaults/change-vault.js";
import type { OwnVaults } from "../vaults/own-vaults.js";
import type { StoredVaultKey } from "../vaults/vault-key.js";
import { itemWithCursor, putItemHandler, restoreItemHandler } from "./item-fields.js";
import { deleteItemsHandler, putItemsHandler } from "./many-items.js";
import { moveItemHandler } from "./move-item.js";
import type { VaultHeads } from "./vault-heads.js";
import { createWaitingCalls, largestPage, type WaitingCallsDeps } from "./waiting-calls.js";

export interface MemberVaultServiceDeps extends WaitingCallsDeps {
  readonly countMore: Platform["countMore"];
  readonly ownVaults: OwnVaults;
  readonly heads: VaultHeads;
}

const putItemError = rpcErrorOf("platform.accounts.v1.MemberVaultService/PutItem");
const createVaultKeyError = rpcErrorOf("platform.accounts.v1.MemberVaultService/CreateVaultKey");
const restoreItemError = rpcErrorOf("platform.accounts.v1.MemberVaultService/RestoreItem");

export function createMemberVaultService(deps: MemberVaultServiceDeps): ServiceImpl<typeof MemberVaultService> {
  const { operations, countMore, ownVaults, heads, readProofs, validate } = deps;
  const items = { operations, validate, placeOf };
  const manyItems = { operations, validate, countMore };
  return {
    listVaults: checkedMethod(validate, async ({ pageSize, pageToken: afterVaultId }, call) => {
      const limit = pageSize === 0 ? largestPage : pageSize;
      const { vaults, hasMore } = await operations.listVaults({ afterVaultId, limit }, call);
      const vaultIds = vaults.map(({ vaultId }) => vaultId);
      const keys = await Promise.all(vaultIds.map((vaultId) => ownVaults.readKey(vaultId, call)));
      const stored = await heads.read(vaultIds, call);
      return {
        vaults: vaults.map((vault, index) => ({
          ...vaultMessage(vault, keys[index], call.actor.principalId),
          head: stored[index],
        })),
        nextPageToken: hasMore ? (vaults.at(-1)?.vaultId ?? "") : "",
      };
    }),

    ...createWaitingCalls(deps),

    getItem: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/GetItem"),
      async run(request: GetItemRequest, call) {
        const found = await operations.getItem({ ...placeOf(request), itemId: request.itemId }, call);
        return found.ok ? { ...found, proofs: await readProofs([found.item]) } : found;
      },
      answer: ({ item, proofs: [deletionProofs] }) => ({ ...itemWithCursor(item), deletionProofs }),
    }),
    listEarlierContents: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/ListEarlierContents"),
      run(request: ListEarlierContentsRequest, call) {
        return operations.listEarlierContents({ ...placeOf(request), itemId: request.itemId }, call);
      },
      answer: ({ contents }) => ({
        contents: contents.map((content) => ({
          ...content,
          updatedAt: timestampFromMs(content.updatedAt),
          replacedAt: timestampFromMs(content.replacedAt),
          wrappedKeys: [...content.wrappedKeys],
        })),
      }),
    }),
    putItem: putItemHandler(items, putItemError, () => putItemError("ROLE_FORBIDS_CHANGE")),
    putItems: putItemsHandler(manyItems, rpcErrorOf("platform.accounts.v1.MemberVaultService/PutItems")),
    deleteItems: deleteItemsHandler(manyItems, rpcErrorOf("platform.accounts.v1.MemberVaultService/DeleteItems")),
    moveItem: moveItemHandler(items),
    restoreItem: restoreItemHandler(items, restoreItemError, () => restoreItemError("ROLE_FORBIDS_CHANGE")),

    createVault: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/CreateVault"),
      async run({ vaultId, key, encryptedName }: CreateVaultRequest, call) {
        const created = await ownVaults.create({ vaultId, key: required(key), encryptedName }, call);
        if (!created.ok) return created;
        return { ok: true, vault: vaultMessage(created.vault, created.key, call.actor.principalId) } as const;
      },
      answer: ({ vault }) => ({ vault }),
    }),

    createVaultKey: handle({
      validate,
      error: createVaultKeyError,
      async run({ key }: CreateVaultKeyRequest, call) {
        // A key that other software has chosen opens everything that the person seals with it later.
        if (call.actor.oauthClientId !== consoleClientId) throw createVaultKeyError("TOKEN_NOT_ALLOWLISTED");
        const created = await ownVaults.createKey({ key: required(key) }, call);
        return created.ok ? ({ ok: true, key: keyMessage(created.key, call.actor.principalId) } as const) : created;
      },
      answer: ({ key }) => ({ key }),
    }),

    renameVault: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/RenameVault"),
      run: (request: RenameVaultRequest, call) => ownVaults.rename(request, call),
      answer: ({ revision }) => ({ revision }),
    }),

    deleteVault: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/DeleteVault"),
      run: (request: DeleteVaultRequest, call) => ownVaults.remove(request, call),
      answer: ({ deletedItems }) => ({ deletedItems }),
      errors: { DELEGATION_EXHAUSTED: (rejection) => delegationExhausted(rejection) },
    }),

    putVaultHead: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/PutVaultHead"),
      run: ({ vaultId, head }: PutVaultHeadRequest, call) => heads.put(vaultId, required(head), call),
      answer: () => ({}),
    }),
  };
}

function vaultMessage(
  { vaultId, role, retentionDays, head }: MemberVault,
  key: StoredVaultKey | undefined,
  principalId: string,
) {
  const listed = { vaultId, role, retentionDays, cursor: cursorMessage(vaultId, head) };
  if (key === undefined) return listed;
  const { encryptedName, nameRevision: revision, deletedAt } = key;
  return { ...listed, key: keyMessage(key, principalId), encryptedName, revision, deleted: deletedAt !== undefined };
}

function keyMessage(key: StoredVaultKey, principalId: string) {
  return { keyId: key.keyId, epoch: key.epoch, wrappedKey: wrappedFor(key, principalId) };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError("the contract requires the field");
  return value;
}

function placeOf({ vaultId }: { readonly vaultId: string }): VaultPlace {
  return { access: "member", vaultId };
}
