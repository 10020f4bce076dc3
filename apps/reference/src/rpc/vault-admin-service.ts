import type { ServiceImpl } from "@connectrpc/connect";
import {
  checkedCall,
  cursorMessage,
  type Item,
  itemMessage,
  type Platform,
  type RequestValidator,
  type RpcError,
  rpcError,
  type VersionConflict,
  versionConflict,
} from "@platform-rpc/server";
import type { VaultAdminService } from "@platform-rpc/types-internal";
import { internalRpcError } from "./reasons.js";

export interface VaultAdminServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: RequestValidator;
}

type ItemError =
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "ITEM_NOT_FOUND" | "ITEM_SHREDDED" }
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict };

const itemIdRequired = { field: "itemId", description: "is required when baseVersion is above 0" };

/** VaultAdminService: messages to the domain and back. */
export function createVaultAdminService(deps: VaultAdminServiceDeps): ServiceImpl<typeof VaultAdminService> {
  const { operations, validate } = deps;
  return {
    async createVault(request, context) {
      const call = checkedCall(validate, request, context);
      const { tenantId, vaultId, retentionDays } = request;
      const outcome = await operations.createVault({ tenantId, vaultId, retentionDays }, call);
      if (!outcome.ok) throw internalRpcError(outcome.reason);
      return { vaultId: outcome.vaultId };
    },

    async setVaultMember(request, context) {
      const call = checkedCall(validate, request, context);
      const outcome = await operations.setVaultMember(request, call);
      if (!outcome.ok) throw rpcError(outcome.reason);
      return {};
    },

    async putItem(request, context) {
      const { tenantId, vaultId, itemId, baseVersion, kind, titleHash, encryptedPayload, wrappedKeys } = request;
      const nameless = itemId === "" && baseVersion > 0;
      const call = checkedCall(validate, request, context, nameless ? [itemIdRequired] : []);
      if (encryptedPayload === undefined) throw new TypeError("the contract requires encryptedPayload");
      const { alg, nonce, aad, ciphertext, version } = encryptedPayload;
      const content = {
        kind,
        titleHash,
        encryptedPayload: { alg, nonce, aad, ciphertext, version },
        wrappedKeys: wrappedKeys.map(({ recipientId, wrapAlg, wrappedKey }) => ({ recipientId, wrapAlg, wrappedKey })),
      };
      const input = { tenantId, vaultId, itemId, baseVersion, ...content };
      return itemWithCursor(await operations.putItem(input, call));
    },

    async restoreItem(request, context) {
      const call = checkedCall(validate, request, context);
      const { tenantId, vaultId, itemId, baseVersion } = request;
      return itemWithCursor(await operations.restoreItem({ tenantId, vaultId, itemId, baseVersion }, call));
    },

    async getItem(request, context) {
      const call = checkedCall(validate, request, context);
      const { tenantId, vaultId, itemId } = request;
      return itemWithCursor(await operations.getItem({ tenantId, vaultId, itemId }, call));
    },

    async listChanges(request, context) {
      checkedCall(validate, request, context);
      const { tenantId, vaultId, afterSequence, limit } = request;
      const result = await operations.listChanges({ tenantId, vaultId, afterSequence, limit });
      if (!result.ok) {
        throw result.reason === "CURSOR_AHEAD" ? internalRpcError(result.reason) : rpcError(result.reason);
      }
      return {
        changes: result.items.map((item) => ({ sequence: item.sequence, item: itemMessage(item) })),
        cursor: cursorMessage(vaultId, result.sequence),
        hasMore: result.hasMore,
      };
    },
  };
}

/** The item with its cursor. @throws RpcError when there is none to answer with. */
function itemWithCursor(result: { readonly ok: true; readonly item: Item } | ItemError) {
  if (!result.ok) throw rpcErrorOf(result);
  const { item } = result;
  return { item: itemMessage(item), cursor: cursorMessage(item.vaultId, item.sequence) };
}

function rpcErrorOf(error: ItemError): RpcError {
  switch (error.reason) {
    case "VERSION_CONFLICT":
      return versionConflict(error.conflict);
    case "ITEM_SHREDDED":
      return internalRpcError(error.reason);
    default:
      return rpcError(error.reason);
  }
}
