import type { ServiceImpl } from "@connectrpc/connect";
import { checkedMethod, type Platform } from "@platform-rpc/server";
import { cursorMessage, type RequestValidator, type VaultPlace } from "@platform-rpc/server/host";
import type { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { rpcErrorOf } from "../contract/private-contract.js";
import type { ChangeWatch } from "./change-watch.js";
import { changePage, getItemHandler, putItemHandler, restoreItemHandler } from "./item-fields.js";
import { memberOperations } from "./member-operations.js";

export interface MemberVaultServiceDeps {
  readonly operations: Platform["operations"];
  readonly admit: Platform["admit"];
  readonly authenticator: Platform["authenticator"];
  readonly watch: ChangeWatch;
  readonly validate: RequestValidator;
}

/** The number of vaults in a page, unless the request asks for fewer. */
const largestPage = 100;

/** The time between the end of a wait and the deadline of the call, in milliseconds: enough to read the changes and respond. */
const marginMs = 1000;

const listChangesName = "platform.accounts.v1.MemberVaultService/ListChanges";
const listChangesError = rpcErrorOf(listChangesName);
const putItemError = rpcErrorOf("platform.accounts.v1.MemberVaultService/PutItem");
const restoreItemError = rpcErrorOf("platform.accounts.v1.MemberVaultService/RestoreItem");

/** Implements MemberVaultService: converts between messages and operations. */
export function createMemberVaultService(deps: MemberVaultServiceDeps): ServiceImpl<typeof MemberVaultService> {
  const { operations, admit, authenticator, watch, validate } = deps;
  const items = { operations, validate, placeOf };
  const listChangesOperation = memberOperations.get(listChangesName);
  if (listChangesOperation === undefined) throw new TypeError(`${listChangesName} is not an operation`);
  return {
    listVaults: checkedMethod(validate, async ({ pageSize, pageToken: afterVaultId }, call) => {
      const limit = pageSize === 0 ? largestPage : pageSize;
      const { vaults, hasMore } = await operations.listVaults({ afterVaultId, limit }, call);
      return {
        vaults: vaults.map(({ vaultId, role, retentionDays, head }) => ({
          vaultId,
          role,
          retentionDays,
          cursor: cursorMessage(vaultId, head),
        })),
        nextPageToken: hasMore ? (vaults.at(-1)?.vaultId ?? "") : "",
      };
    }),

    listChanges: checkedMethod(validate, async (request, call, context) => {
      const { vaultId, afterSequence, limit, waitSeconds } = request;
      const list = async (caller = call) => {
        const result = await operations.listChanges({ access: "member", vaultId, afterSequence, limit }, caller);
        if (!result.ok) throw listChangesError(result.reason);
        return result;
      };
      const listed = await list();
      if (listed.items.length > 0 || waitSeconds === 0) return changePage(vaultId, listed);
      const { tenantId, principalId } = call.actor;
      const ms = Math.min(waitSeconds * 1000, (context.timeoutMs() ?? 0) - marginMs);
      const { signal } = context;
      const authorization = context.requestHeader.get("Authorization") ?? undefined;
      // The gate has accepted the header.
      const token = authorization?.split(" ").at(-1) ?? "";
      const isValid = async () => (await authenticator.authenticate(token)) !== undefined;
      const waited = await watch.wait({ tenantId, vaultId, principalId }, { afterSequence, ms, signal, isValid });
      if (!waited) throw listChangesError("RATE_LIMITED", { retryAfterMs: 1000 });
      if (signal.aborted) return changePage(vaultId, listed);
      // The token may have been revoked during the wait, or the person may have changed its bounds.
      const { delegation } = await admit(authorization, listChangesOperation);
      return changePage(vaultId, await list({ ...call, delegation }));
    }),

    getItem: getItemHandler(items, rpcErrorOf("platform.accounts.v1.MemberVaultService/GetItem")),
    putItem: putItemHandler(items, putItemError, () => putItemError("ROLE_FORBIDS_CHANGE")),
    restoreItem: restoreItemHandler(items, restoreItemError, () => restoreItemError("ROLE_FORBIDS_CHANGE")),
  };
}

function placeOf({ vaultId }: { readonly vaultId: string }): VaultPlace {
  return { access: "member", vaultId };
}
