import type { ServiceImpl } from "@connectrpc/connect";
import { rpcErrorOf } from "@platform-rpc/accounts/contract/private-contract";
import {
  changePage,
  getItemHandler,
  putItemHandler,
  restoreItemHandler,
} from "@platform-rpc/accounts/members/item-fields";
import type { Platform } from "@platform-rpc/server";
import { handle, type RequestValidator, type VaultPlace } from "@platform-rpc/server/host";
import type {
  GetItemRequest,
  PutItemRequest,
  RestoreItemRequest,
  VaultAdminService,
} from "@platform-rpc/types-internal";

export interface VaultAdminServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: RequestValidator;
}

const putItemError = rpcErrorOf("platform.internal.v1.VaultAdminService/PutItem");
const restoreItemError = rpcErrorOf("platform.internal.v1.VaultAdminService/RestoreItem");

export function createVaultAdminService(deps: VaultAdminServiceDeps): ServiceImpl<typeof VaultAdminService> {
  const { operations, validate } = deps;
  const items = { operations, validate, placeOf };
  return {
    createVault: handle({
      validate,
      error: rpcErrorOf("platform.internal.v1.VaultAdminService/CreateVault"),
      run: ({ tenantId, vaultId, retentionDays }, call) =>
        operations.createVault({ tenantId, vaultId, retentionDays }, call),
      answer: ({ vaultId }) => ({ vaultId }),
    }),

    setVaultMember: handle({
      validate,
      error: rpcErrorOf("platform.internal.v1.VaultAdminService/SetVaultMember"),
      run: ({ tenantId, vaultId, principalId, role }, call) =>
        operations.setVaultMember({ tenantId, vaultId, principalId, role }, call),
      answer: () => ({}),
    }),

    // An administrator has no role that could forbid a change.
    putItem: putItemHandler<PutItemRequest>(items, putItemError, () => putItemError("INTERNAL")),
    restoreItem: restoreItemHandler<RestoreItemRequest>(items, restoreItemError, () => restoreItemError("INTERNAL")),
    getItem: getItemHandler<GetItemRequest>(items, rpcErrorOf("platform.internal.v1.VaultAdminService/GetItem")),

    listChanges: handle({
      validate,
      error: rpcErrorOf("platform.internal.v1.VaultAdminService/ListChanges"),
      async run(request, call) {
        const { vaultId, afterSequence, limit } = request;
        const result = await operations.listChanges({ ...placeOf(request), afterSequence, limit }, call);
        return result.ok ? { ...result, vaultId } : result;
      },
      answer: ({ vaultId, ...page }) => changePage(vaultId, page),
    }),
  };
}

function placeOf({ tenantId, vaultId }: { readonly tenantId: string; readonly vaultId: string }): VaultPlace {
  return { access: "administrator", tenantId, vaultId };
}
