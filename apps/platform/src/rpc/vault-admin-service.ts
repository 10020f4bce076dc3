import type { ServiceImpl } from "@connectrpc/connect";
import { rpcErrorOf } from "@platform-rpc/accounts/contract/private-contract";
import { changePage, contentIn, itemIdRequired, itemWithCursor } from "@platform-rpc/accounts/members/item-fields";
import { checkedMethod, type Platform } from "@platform-rpc/server";
import { type RequestValidator, versionConflict } from "@platform-rpc/server/host";
import type { VaultAdminService } from "@platform-rpc/types-internal";

export interface VaultAdminServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: RequestValidator;
}

const putItemError = rpcErrorOf("platform.internal.v1.VaultAdminService/PutItem");
const restoreItemError = rpcErrorOf("platform.internal.v1.VaultAdminService/RestoreItem");

/** Implements VaultAdminService: converts between messages and operations. */
export function createVaultAdminService(deps: VaultAdminServiceDeps): ServiceImpl<typeof VaultAdminService> {
  const { operations, validate } = deps;
  return {
    createVault: checkedMethod(validate, async (request, call) => {
      const { tenantId, vaultId, retentionDays } = request;
      const outcome = await operations.createVault({ tenantId, vaultId, retentionDays }, call);
      if (!outcome.ok) throw rpcErrorOf("platform.internal.v1.VaultAdminService/CreateVault")(outcome.reason);
      return { vaultId: outcome.vaultId };
    }),

    setVaultMember: checkedMethod(validate, async (request, call) => {
      const outcome = await operations.setVaultMember(request, call);
      if (!outcome.ok) throw rpcErrorOf("platform.internal.v1.VaultAdminService/SetVaultMember")(outcome.reason);
      return {};
    }),

    putItem: checkedMethod(
      validate,
      async (request, call) => {
        const { tenantId, vaultId, itemId, baseVersion } = request;
        const input = { tenantId, vaultId, itemId, baseVersion, ...contentIn(request) };
        const result = await operations.putItem(input, call);
        if (result.ok) return itemWithCursor(result.item);
        throw result.reason === "VERSION_CONFLICT"
          ? versionConflict(result.conflict, putItemError)
          : putItemError(result.reason);
      },
      ({ itemId, baseVersion }) => (itemId === "" && baseVersion > 0 ? [itemIdRequired] : []),
    ),

    restoreItem: checkedMethod(validate, async (request, call) => {
      const { tenantId, vaultId, itemId, baseVersion } = request;
      const result = await operations.restoreItem({ tenantId, vaultId, itemId, baseVersion }, call);
      if (result.ok) return itemWithCursor(result.item);
      throw result.reason === "VERSION_CONFLICT"
        ? versionConflict(result.conflict, restoreItemError)
        : restoreItemError(result.reason);
    }),

    getItem: checkedMethod(validate, async (request, call) => {
      const { tenantId, vaultId, itemId } = request;
      const result = await operations.getItem({ tenantId, vaultId, itemId }, call);
      if (!result.ok) throw rpcErrorOf("platform.internal.v1.VaultAdminService/GetItem")(result.reason);
      return itemWithCursor(result.item);
    }),

    listChanges: checkedMethod(validate, async (request) => {
      const { tenantId, vaultId, afterSequence, limit } = request;
      const result = await operations.listChanges({ tenantId, vaultId, afterSequence, limit });
      if (!result.ok) throw rpcErrorOf("platform.internal.v1.VaultAdminService/ListChanges")(result.reason);
      return changePage(vaultId, result);
    }),
  };
}
