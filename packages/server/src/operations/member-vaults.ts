import type { MemberVault } from "../domain/vault.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { createListChanges, type ListChangesInput, type ListChangesResult } from "./list-changes.js";

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

/** Lists the vaults of which the caller is a member, in the caller's own tenant. */
export function createListVaults({ storage }: { storage: Storage }) {
  return async ({ afterVaultId, limit }: ListVaultsInput, { actor }: Call): Promise<ListVaultsResult> => {
    const { tenantId, principalId } = actor;
    const vaults = await storage.listVaults({ tenantId, principalId, afterVaultId, limit: limit + 1 });
    return { vaults: vaults.slice(0, limit), hasMore: vaults.length > limit };
  };
}

/** Lists what changed in a vault of which the caller is a member. */
export function createListChangesAsMember({ storage }: { storage: Storage }) {
  const listChanges = createListChanges({ storage });
  return (
    { vaultId, afterSequence, limit }: Omit<ListChangesInput, "tenantId" | "principalId">,
    { actor }: Call,
  ): Promise<ListChangesResult> => {
    const { tenantId, principalId } = actor;
    return listChanges({ tenantId, vaultId, principalId, afterSequence, limit });
  };
}
