import { narrow } from "../domain/bounds.js";
import type { MemberVault } from "../domain/vault.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { createListChanges, type ListChangesInput, type ListChangesResult } from "./list-changes.js";
import { readerOf } from "./reader.js";

const nothing: ListVaultsResult = { vaults: [], hasMore: false };

/** Selects a page of the caller's vaults. */
export interface ListVaultsInput {
  /** Lists the vaults whose id is greater. Default: from the first. */
  readonly afterVaultId?: string | undefined;
  /** The largest number of vaults, 1 or more. */
  readonly limit: number;
  /** Lists only these vaults, at most 20. Default: all. */
  readonly vaultIds?: readonly string[] | undefined;
}

/** One page of the caller's vaults, in the order of their ids. */
export interface ListVaultsResult {
  readonly vaults: readonly MemberVault[];
  /** Whether there are vaults after this page. */
  readonly hasMore: boolean;
}

/**
 * Lists the vaults of which the caller is a member, in the caller's own tenant. If the caller's delegation or the request names vaults,
 * only these are looked up, so the time says nothing about the others.
 */
export function createListVaults({ storage }: { storage: Storage }) {
  return async ({ afterVaultId, limit, vaultIds }: ListVaultsInput, call: Call): Promise<ListVaultsResult> => {
    const { actor, delegation } = call;
    const { tenantId, principalId } = actor;
    const { vaults: named, actions } = narrow({ vaults: vaultIds }, delegation?.bounds) ?? {};
    if (actions?.includes("read") === false) return nothing;
    const list = (after: string | undefined, most: number) =>
      storage.listVaults({ tenantId, principalId, afterVaultId: after, limit: most });
    const lookUp = async (vaultId: string) =>
      (await list(beforeVault(vaultId), 1)).filter((vault) => vault.vaultId === vaultId);
    const wanted = named?.filter((vaultId) => afterVaultId === undefined || vaultId > afterVaultId).sort();
    const found = wanted === undefined ? await list(afterVaultId, limit + 1) : await Promise.all(wanted.map(lookUp));
    const vaults = found.flat();
    return { vaults: vaults.slice(0, limit), hasMore: vaults.length > limit };
  };
}

/** Returns a text that is before the id of a vault, and after every id before it: the characters of ids are before U+007F. */
function beforeVault(vaultId: string): string {
  return `${vaultId.slice(0, -1)}${String.fromCharCode(vaultId.charCodeAt(vaultId.length - 1) - 1)}\u007f`;
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
