import type { AuditRecord } from "./actor.js";
import type { ItemContent, ItemStatus } from "./item.js";
import type { Link, StoredRecord } from "./record.js";
import type { Vault } from "./vault.js";

/**
 * The result of a rule: the writes, which are committed in one atomic step, and the outcome for the caller.
 *
 * A rejection that changes state (a burned code, a raised interval) is an outcome with writes, never an exception.
 */
export interface Decision<Outcome> {
  readonly outcome: Outcome;
  readonly writes: readonly Write[];
  /** True if the outcome reveals that the data exists, so that the duration of the call need not conceal it. Default: false. */
  readonly disclosed?: boolean;
}

/** One write to the storage. A decision contains at most one `change` of an item. */
export type Write =
  | { readonly kind: "vault"; readonly vault: Vault }
  /** Sets a member or, when `role` is undefined, removes one, and increments the vault's `accessRevision`. */
  | {
      readonly kind: "member";
      readonly tenantId: string;
      readonly vaultId: string;
      readonly principalId: string;
      readonly role: string | undefined;
    }
  /** A change of an item. The storage assigns the vault's next sequence and appends it to the vault's history. */
  | {
      readonly kind: "change";
      readonly item: ItemStatus;
      /** Absent: the stored content and its earlier ones are kept. */
      readonly content?: ItemContent;
      /** The earlier contents of a content, as `storedEarlier` returns them. Default: it has none. */
      readonly earlier?: string;
    }
  /** Erases an item's content and its earlier ones: gets no sequence, and leaves no trace of the old bytes in any file. */
  | { readonly kind: "shred"; readonly item: ItemStatus }
  | {
      readonly kind: "record";
      /** Its revision is that of the stored record plus 1; 1 without a stored record. */
      readonly record: StoredRecord;
      /** The records of the same tenant that rules read with it. Default: none. */
      readonly links?: readonly Link[];
    }
  | { readonly kind: "audit"; readonly record: AuditRecord };

/** Creates a decision without writes. */
export function unchanged<Outcome>(outcome: Outcome): Decision<Outcome> {
  return { outcome, writes: [] };
}

/** Creates a decision without writes for a retry of a change that was made before. Its outcome contains the existing data. */
export function alreadyDone<Outcome>(outcome: Outcome): Decision<Outcome> {
  return { outcome, writes: [], disclosed: true };
}
