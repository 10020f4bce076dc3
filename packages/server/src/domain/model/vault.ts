import type { StoredItem } from "./item.js";
import type { Records, StoredRecord } from "./record.js";

/** A vault: the unit of sharing and of history. */
export interface Vault {
  readonly tenantId: string;
  readonly vaultId: string;
  /** How many days a tombstone can be restored. With 0, a deleted item is shredded at once. */
  readonly retentionDays: number;
  /** Incremented by every change of membership, so that a decision based on older membership is made again. */
  readonly accessRevision: number;
}

/** A vault, as one of its members sees it. */
export interface MemberVault {
  readonly vaultId: string;
  readonly role: string;
  readonly retentionDays: number;
  /** The sequence of its newest change; 0 in a vault without changes. */
  readonly head: number;
}

/** The data for a decision about one item. */
export interface ItemSnapshot {
  readonly vault: Vault | undefined;
  /** The role of the ref's principal; undefined when it is not a member, or the ref has no principal. */
  readonly role: string | undefined;
  /** Undefined when it does not exist, or the ref's principal is not a member. */
  readonly item: StoredItem | undefined;
  /** The record that the ref names. Undefined when it does not exist, the ref names none, or its principal is not a member. */
  readonly record?: StoredRecord | undefined;
  /** New items start at version `floor + 1`. 0 until a backup is restored. */
  readonly floor: number;
  /** The other item that the ref names. Undefined when it names none, or its principal is not a member of the first vault. */
  readonly to?: ItemSnapshot | undefined;
}

/** The data for a decision about a vault. */
export interface VaultSnapshot {
  readonly vault: Vault | undefined;
}

/** The data for a decision about records, and the vault that is created with them. */
export interface RecordsSnapshot extends VaultSnapshot, Records {}

export const defaultRetentionDays = 30;

/** The largest sequence of a vault: `sequence` is a uint32. */
export const lastSequence = 4_294_967_295;

const rolesThatManage: readonly string[] = ["owner", "admin"];

/** Returns whether a role may see what every member does in a vault. Deny by default: an unknown role may not. */
export function roleMayManage(role: string): boolean {
  return rolesThatManage.includes(role);
}

const rolesThatDelete: readonly string[] = ["owner", "admin", "member"];

/** Returns whether a role may delete items. Deny by default: an unknown role may not. */
export function roleMayDelete(role: string): boolean {
  return rolesThatDelete.includes(role);
}

/** As whom an item is accessed: as a member of its vault, with the member's role, or as an administrator of the platform. */
export type Access = "member" | "administrator";

/** Why a principal may not change a vault: it does not exist, the principal is not a member, or only reads. */
export interface AccessRejection {
  readonly ok: false;
  readonly reason: "VAULT_NOT_FOUND" | "ROLE_FORBIDS_CHANGE";
}

/** Returns whether the vault exists for the caller. For a principal who is not a member, it does not. */
export function vaultExists({ vault, role }: ItemSnapshot, access: Access): boolean {
  return vault !== undefined && (access === "administrator" || role !== undefined);
}

/** Checks the role before the item, so that nobody else learns about items. Undefined: the caller may change items. */
export function rejectChange(snapshot: ItemSnapshot, access: Access): AccessRejection | undefined {
  if (!vaultExists(snapshot, access)) return { ok: false, reason: "VAULT_NOT_FOUND" };
  // The roles that may delete an item may also restore and replace it.
  return access === "administrator" || roleMayDelete(snapshot.role ?? "")
    ? undefined
    : { ok: false, reason: "ROLE_FORBIDS_CHANGE" };
}
