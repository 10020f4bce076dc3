import type { Operations } from "@platform-rpc/server";
import { caller, seedCall } from "../bench-platform.ts";
import { inBatches, type Size } from "../seed.ts";
import { deletionAt } from "./deletions.ts";

/**
 * Returns a function that restores the thousand items that were deleted first since its last call. It returns the number of all
 * restored items.
 */
export function createRestore({ restoreItem }: Operations, { vaults, items }: Size): () => Promise<number> {
  let restored = 0;
  return async () => {
    await inBatches(1000, async (index) => {
      const { baseVersion, ...ref } = deletionAt(restored + index, items, vaults);
      const { tenantId } = caller;
      const result = await restoreItem({ tenantId, ...ref, baseVersion: baseVersion + 1 }, seedCall);
      if (!result.ok) throw new Error(`The item ${ref.itemId} cannot be restored: ${result.reason}.`);
    });
    restored += 1000;
    return restored;
  };
}
