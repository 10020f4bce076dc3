import type { StoredItem } from "./item.js";

/** A vault: the unit of sharing and of history. */
export interface Vault {
  readonly tenantId: string;
  readonly vaultId: string;
  /** Days for which a tombstone can be restored; 0 shreds at once. */
  readonly retentionDays: number;
  /** Grows with every change of membership, so that a decision made on older membership is made again. */
  readonly accessRevision: number;
}

/** What a decision about one item needs to know. */
export interface ItemSnapshot {
  readonly vault: Vault | undefined;
  /** The role of the principal that the ref names; undefined when it is no member, or the ref names none. */
  readonly role: string | undefined;
  /** Undefined when there is none, or the ref names a principal that is no member. */
  readonly item: StoredItem | undefined;
  /** The versions of new items begin above it: 0 until a backup was restored. */
  readonly floor: number;
}

/** What a decision about a vault needs to know. */
export interface VaultSnapshot {
  readonly vault: Vault | undefined;
}

export const defaultRetentionDays = 30;

/** The last position of a vault's history: `sequence` is a uint32. */
export const lastSequence = 4_294_967_295;

const rolesThatDelete: readonly string[] = ["owner", "admin", "member"];

/** Whether a role may delete items. Deny by default: a role that is not known here may not. */
export function roleMayDelete(role: string): boolean {
  return rolesThatDelete.includes(role);
}
