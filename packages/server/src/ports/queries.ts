import type { AuditRow, AuditSeal } from "../domain/model/audit-seal.js";
import type { Item } from "../domain/model/item.js";
import type { Vault } from "../domain/model/vault.js";

/** One page of a vault's changes. */
export interface ChangePage {
  readonly vault: Vault | undefined;
  /** The sequence of the vault's newest change; 0 in a vault without changes. */
  readonly head: number;
  /** Whether the history contains the requested position. False beyond the head, and in a gap left by a restored backup. */
  readonly reached: boolean;
  /** Each changed item once, at its newest sequence, in ascending order of sequence. */
  readonly items: readonly Item[];
  /** Whether there are items after this page. */
  readonly hasMore: boolean;
}

/** Selects changes of a vault. */
export interface ChangeQuery {
  readonly tenantId: string;
  readonly vaultId: string;
  /**
   * The principal who reads. If they are not a member, the page is that of a vault that does not exist. Absent: membership is not
   * checked.
   */
  readonly principalId?: string;
  readonly afterSequence: number;
  /** The largest number of items, 1 or more. */
  readonly limit: number;
  /**
   * The largest size of all items together, in bytes of JSON. The first item is listed regardless of its size.
   * Default: no limit.
   */
  readonly maxBytes?: number;
}

/** Selects vaults of a member. */
export interface MemberVaultQuery {
  readonly tenantId: string;
  readonly principalId: string;
  /** Lists the vaults whose id is greater. Default: from the first. */
  readonly afterVaultId?: string | undefined;
  /** The largest number of vaults, 1 or more. */
  readonly limit: number;
}

/** Selects records of a principal. */
export interface RecordQuery {
  readonly collection: string;
  readonly tenantId: string;
  readonly principalId: string;
  /** Lists the records whose key is greater. Default: from the first. */
  readonly afterKey?: string | undefined;
  /** The largest number of records, 1 or more. */
  readonly limit: number;
}

/** One page of the sealed audit trail. */
export interface AuditPage {
  /** Rows and seals in ascending order of position. A seal is after the row at the same position. */
  readonly entries: readonly (AuditRow | AuditSeal)[];
  /** The position at which the next page begins. */
  readonly position: number;
  /** Whether there are sealed rows after this page. */
  readonly hasMore: boolean;
  /** The number of rows that are not sealed yet. 0 unless this is the last page. */
  readonly unsealed: number;
}

/** Selects rows of the audit trail about the data of one tenant. */
export interface AuditQuery {
  readonly tenantId: string;
  /** Lists the rows before this position. Default: from the newest. */
  readonly before?: number | undefined;
  /** The largest number of rows, 1 or more. */
  readonly limit: number;
}

/** One page of the audit trail of a tenant. */
export interface AuditListing {
  /** The newest first. */
  readonly rows: readonly AuditRow[];
  /** `before` of the next page. Undefined: there are no older rows. */
  readonly next: number | undefined;
}
