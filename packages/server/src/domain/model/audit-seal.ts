import type { AuditRecord } from "./actor.js";

/** A stored record of the audit trail. */
export interface AuditRow extends AuditRecord {
  /** Its place in the trail: 1 for the first row. Positions ascend, and may have gaps. */
  readonly position: number;
}

/** Covers consecutive rows of one tenant in one month, and continues the hash chain of the tenant. */
export interface AuditSeal {
  readonly subjectTenantId: string;
  /** The position of the tenant's seal before this one. 0: this is its first. */
  readonly previousPosition: number;
  /** The position of the newest row. The seal covers every row of the tenant after `previousPosition` up to this one. */
  readonly position: number;
  /** The number of rows that it covers. */
  readonly rows: number;
  /** The month of `at` of every row that it covers, in UTC, such as `2026-11`. */
  readonly month: string;
  /** The digest of the tenant's seal before this one, or `noDigest`. */
  readonly previousDigest: string;
  /** SHA-256 over the digest before and the line of a row, for each row in turn. In hexadecimal. */
  readonly digest: string;
  /** `trail` of the seal before this one among the seals of all tenants, or `noDigest`. */
  readonly previousTrail: string;
  /** SHA-256 over `previousTrail`, `digest`, `month` and `rows`: depends on every sealed row of every tenant. In hexadecimal. */
  readonly trail: string;
  /** Whether the seal before it is of another cell, from which the tenant has arrived. Default: no. */
  readonly followsArrival?: true | undefined;
}

/** The digest before the first row: 32 zero bytes, in hexadecimal. */
export const noDigest: string = "0".repeat(64);

/** Returns the canonical text of a row, which digests cover: JSON without white space, with its members in this order. */
export function auditLine(row: AuditRow): string {
  const { position, at, subjectTenantId, subject, event, versionBefore, versionAfter } = row;
  const { tenantId, principalId, oauthClientId, tokenId, operation, requestId } = row;
  const change = { position, at, subjectTenantId, subject, event, versionBefore, versionAfter };
  return JSON.stringify({ ...change, tenantId, principalId, oauthClientId, tokenId, operation, requestId });
}

/** Returns the text of a row, as `auditLine`, or of a seal, for an export. */
export function auditEntryLine(entry: AuditRow | AuditSeal): string {
  return "trail" in entry ? JSON.stringify({ seal: entry }) : auditLine(entry);
}

/** Merges rows and seals in ascending order of position, each seal after the row at its position. */
export function entriesInOrder(
  rows: readonly AuditRow[],
  seals: readonly AuditSeal[],
): readonly (AuditRow | AuditSeal)[] {
  // The sort is stable.
  return [...rows, ...seals].sort((a, b) => a.position - b.position);
}

/** The largest number of milliseconds that a date can represent. */
const lastTime = 8.64e15;

/** Returns the month of a time in UTC, such as `2026-11`. */
export function monthOf(at: number): string {
  return new Date(Math.max(-lastTime, Math.min(at, lastTime))).toISOString().replace(/-\d\dT.*$/, "");
}
