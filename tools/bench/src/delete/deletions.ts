import type { Operations } from "@platform-rpc/server";
import { deleteItemRequest } from "../load/connection.ts";
import { caller, inBatches, itemName, type Size, seedCall, vaultName } from "../platform/bench-platform.ts";

export const vaults = 100;

/** Coprime to the numbers of items: every item is deleted once before any is deleted again. Successive deletions are far apart. */
const stride = 997;

interface Deletion {
  readonly vaultId: string;
  readonly itemId: string;
  readonly baseVersion: number;
}

/** Returns the deletion with an index. Each deleted item must be restored before it is deleted again. */
function deletionAt(index: number, items: number, inVaults = vaults): Deletion {
  const item = (index * stride) % items;
  return {
    vaultId: vaultName(item % inVaults),
    itemId: itemName(item),
    baseVersion: 1 + 2 * Math.floor(index / items),
  };
}

/**
 * Returns a function that returns the requests of the deletions, one after the other. Several clients share the items if each makes
 * every `step`th deletion, from a different `first` one.
 */
export function createDeletionRequests(
  items: number,
  token: string,
  { inVaults = vaults, first = 0, step = 1 }: { inVaults?: number; first?: number; step?: number } = {},
): () => Buffer {
  let next = first;
  return () => {
    const { vaultId, itemId, baseVersion } = deletionAt(next, items, inVaults);
    next += step;
    return deleteItemRequest(vaultId, itemId, token, baseVersion);
  };
}

/** Returns a function that restores the thousand items deleted first since its last call, and returns how many are restored in all. */
export function createRestore({ restoreItem }: Operations, { vaults, items }: Size): () => Promise<number> {
  let restored = 0;
  return async () => {
    await inBatches(1000, async (index) => {
      const { baseVersion, ...ref } = deletionAt(restored + index, items, vaults);
      const { tenantId } = caller;
      const result = await restoreItem(
        { access: "administrator", tenantId, ...ref, baseVersion: baseVersion + 1 },
        seedCall,
      );
      if (!result.ok) throw new Error(`The item ${ref.itemId} cannot be restored: ${result.reason}.`);
    });
    restored += 1000;
    return restored;
  };
}
