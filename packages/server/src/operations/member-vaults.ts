import type { MemberVault } from "../domain/vault.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { createListChanges, type ListChangesInput, type ListChangesResult } from "./list-changes.js";
import { isAllowed, readerOf } from "./reader.js";

/** Selects a page of the caller's vaults. */
export interface ListVaultsInput {
  /** Lists the vaults whose id is greater. Default: from the first. */
  readonly afterVaultId?: string | undefined;
  /** The largest number of vaults, 1 or more. */
  readonly limit: number;
}

/** One page of the caller's vaults, in the order of their ids. */
export interface ListVaultsResult {
  readonly vaults: readonly MemberVault[];
  /** Whether there are vaults after this page. */
  readonly hasMore: boolean;
}

/** Lists the vaults of which the caller is a member, in the caller's own tenant, that the caller's delegation allows to read. */
export function createListVaults({ storage }: { storage: Storage }) {
  return async ({ afterVaultId, limit }: ListVaultsInput, call: Call): Promise<ListVaultsResult> => {
    const { tenantId, principalId } = call.actor;
    const vaults: MemberVault[] = [];
    let after = afterVaultId;
    do {
      const page = await storage.listVaults({ tenantId, principalId, afterVaultId: after, limit: limit + 1 });
      vaults.push(...page.filter(({ vaultId }) => isAllowed(call.delegation, vaultId, "read")));
      after = page.length > limit ? page.at(-1)?.vaultId : undefined;
    } while (vaults.length <= limit && after !== undefined);
    return { vaults: vaults.slice(0, limit), hasMore: vaults.length > limit };
  };
}

/** Lists what changed in a vault of which the caller is a member. */
export function createListChangesAsMember({ storage }: { storage: Storage }) {
  const listChanges = createListChanges({ storage });
  return (
    { vaultId, afterSequence, limit }: Omit<ListChangesInput, "tenantId" | "principalId">,
    call: Call,
  ): Promise<ListChangesResult> => {
    const principalId = readerOf(call, vaultId, "read");
    return listChanges({ tenantId: call.actor.tenantId, vaultId, principalId, afterSequence, limit });
  };
}
