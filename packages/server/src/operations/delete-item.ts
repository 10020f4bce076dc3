import { delegations } from "../domain/delegation.js";
import { type DeleteItemOutcome, deleteItem } from "../domain/delete-item.js";
import type { Item } from "../domain/item.js";
import type { Clock } from "../ports/clock.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { readerOf } from "./reader.js";
import { withSequence } from "./with-sequence.js";

/** Identifies the item and the version the caller last saw. */
export interface DeleteItemInput {
  readonly vaultId: string;
  readonly itemId: string;
  /** The version that is deleted. If the item has another one, the outcome is VERSION_CONFLICT. */
  readonly baseVersion: number;
}

/** The tombstone, or why the item was not deleted. */
export type DeleteItemResult = { readonly ok: true; readonly item: Item } | Extract<DeleteItemOutcome, { ok: false }>;

/** Creates VaultService.DeleteItem, in the caller's own tenant and with the caller's role. */
export function createDeleteItem({ storage, clock }: { storage: Storage; clock: Clock }) {
  return async (input: DeleteItemInput, call: Call): Promise<DeleteItemResult> => {
    const { vaultId, itemId, baseVersion } = input;
    const { actor, wanted, delegation } = call;
    const { tenantId } = actor;
    const principalId = readerOf(call, vaultId, "delete");
    // Nobody's call names no record, like that of a caller without a delegation.
    const delegationId = principalId === actor.principalId ? delegation?.delegationId : undefined;
    const record = delegationId === undefined ? undefined : delegations.key(tenantId, delegationId);
    return withSequence(
      await storage.transact(
        { kind: "item", tenantId, vaultId, itemId, principalId, record },
        deleteItem(baseVersion, actor, clock.now(), delegationId),
        { wanted },
      ),
    );
  };
}
