import { type AuditRow, type AuditSeal, monthOf, noDigest } from "../domain/model/audit-seal.js";
import { rowsDigest, trailDigest } from "./seal-rows.js";

/** A row, and the text of it that the digests cover. */
export type AuditLine = Pick<AuditRow, "position" | "at" | "subjectTenantId"> & {
  /** From `auditLine`, or a line of an export without its line break. */
  readonly line: string;
};

/** A place where the audit trail differs from what was sealed. */
export interface AuditDifference {
  /**
   * - `rows_changed`: a row was changed or moved.
   * - `rows_missing`, `rows_added`: there are fewer or more rows than were sealed.
   * - `seal_changed`: a seal was changed, or one before it was changed, removed or added.
   */
  readonly kind: "rows_changed" | "rows_missing" | "rows_added" | "seal_changed";
  readonly subjectTenantId: string;
  /** The difference is after this position. */
  readonly afterPosition: number;
  /** The difference is at or before this position. */
  readonly position: number;
  /** The month of the rows, such as `2026-11`. */
  readonly month: string;
}

export interface VerifiedTenant {
  readonly subjectTenantId: string;
  /** The number of sealed rows that were read. */
  readonly rows: number;
  /** The position of its newest seal. */
  readonly position: number;
  /** The digest of its newest seal. */
  readonly digest: string;
}

export interface AuditVerification {
  readonly tenants: readonly VerifiedTenant[];
  /** The newest seal of all tenants; undefined if there is none. */
  readonly head: Pick<AuditSeal, "position" | "trail"> | undefined;
  /** In the order in which they were found: the first 100. */
  readonly differences: readonly AuditDifference[];
  readonly differenceCount: number;
  /** Months of which there are seals but no row, as after an archived month was dropped. Their rows were not verified. */
  readonly absentMonths: readonly { readonly month: string; readonly rows: number }[];
  /** The expected heads that were not found. */
  readonly missingHeads: readonly string[];
}

export interface AuditVerifierOptions {
  /** Digests of earlier seals, `digest` or `trail`, that were kept outside the database. Default: none. */
  readonly heads?: readonly string[];
  /** Whether the rows are a part of a trail, such as an export: then a chain may begin with any seal. Default: false. */
  readonly partial?: boolean;
}

/** Verifies an audit trail that is read from its start. */
export interface AuditVerifier {
  /** Adds a row. Rows of a tenant come in ascending order of position, each before its seal. */
  row(row: AuditLine): void;
  /** Adds a seal. Seals come in ascending order of position. */
  seal(seal: AuditSeal): void;
  /** Ends the verification. Rows without a seal are differences: do not add rows that are not sealed yet. */
  end(): AuditVerification;
}

interface Chain {
  position: number | undefined;
  digest: string;
  rows: number;
  waiting: AuditLine[];
}

const reportedDifferences = 100;

/**
 * Creates a verifier, which computes the hash chains of all tenants again.
 *
 * Someone who can write to the database can compute the chains again after a change. Only `heads` that were kept outside the
 * database show that.
 */
export function createAuditVerifier({ heads = [], partial = false }: AuditVerifierOptions = {}): AuditVerifier {
  const chains = new Map<string, Chain>();
  const differences: AuditDifference[] = [];
  let differenceCount = 0;
  const months = new Set<string>();
  const absent = new Map<string, { rows: number; first: AuditSeal }>();
  const missingHeads = new Set(heads);
  let head: AuditSeal | undefined;

  const chainOf = (subjectTenantId: string): Chain => {
    const known = chains.get(subjectTenantId);
    if (known !== undefined) return known;
    const chain = { position: partial ? undefined : 0, digest: noDigest, rows: 0, waiting: [] };
    chains.set(subjectTenantId, chain);
    return chain;
  };

  const differ = (kind: AuditDifference["kind"], { subjectTenantId, previousPosition, position, month }: AuditSeal) => {
    differenceCount += 1;
    if (differences.length === reportedDifferences) return;
    differences.push({ kind, subjectTenantId, afterPosition: previousPosition, position, month });
  };

  /** Returns what differs between a seal and the rows and seals before it. */
  const compare = (seal: AuditSeal, { position, digest }: Chain, rows: readonly AuditLine[]) => {
    const linked =
      position === undefined ||
      // Its cell has compared the trail of the tenant up to its arrival.
      (seal.followsArrival && seal.previousPosition > position) ||
      (seal.previousPosition === position && seal.previousDigest === digest);
    if (!linked || seal.trail !== trailDigest(seal.previousTrail, seal)) return "seal_changed";
    // In a part of a trail, seals of other tenants may be left out between two seals.
    if (!partial && seal.previousTrail !== (head?.trail ?? noDigest)) return "seal_changed";
    if (rows.length === 0) return undefined;
    if (rows.length < seal.rows) return "rows_missing";
    if (rows.length > seal.rows) return "rows_added";
    const lines = rows.map(({ line }) => line);
    return rowsDigest(seal.previousDigest, lines) === seal.digest ? undefined : "rows_changed";
  };

  return {
    row(row) {
      months.add(monthOf(row.at));
      chainOf(row.subjectTenantId).waiting.push(row);
    },

    seal(seal) {
      const chain = chainOf(seal.subjectTenantId);
      const rows = chain.waiting;
      const difference = compare(seal, chain, rows);
      if (difference !== undefined) differ(difference, seal);
      else if (rows.length === 0) {
        const known = absent.get(seal.month);
        absent.set(seal.month, { rows: (known?.rows ?? 0) + seal.rows, first: known?.first ?? seal });
      }
      if (difference === undefined) for (const digest of [seal.digest, seal.trail]) missingHeads.delete(digest);
      chain.rows += rows.length;
      chain.waiting = [];
      chain.position = seal.position;
      chain.digest = seal.digest;
      head = seal;
    },

    end() {
      // A month is dropped as a whole. If some of its rows are there, the others were removed.
      for (const [month, { first }] of absent) if (months.has(month)) differ("rows_missing", first);
      for (const [subjectTenantId, { position = 0, waiting }] of chains) {
        const [first] = waiting;
        const last = waiting.at(-1);
        if (first === undefined || last === undefined) continue;
        const range = { subjectTenantId, afterPosition: position, position: last.position, month: monthOf(first.at) };
        differenceCount += 1;
        if (differences.length < reportedDifferences) differences.push({ kind: "rows_added", ...range });
      }
      return {
        tenants: [...chains].map(([subjectTenantId, { position = 0, digest, rows }]) => {
          return { subjectTenantId, rows, position, digest };
        }),
        head,
        differences,
        differenceCount,
        absentMonths: [...absent].filter(([month]) => !months.has(month)).map(([month, { rows }]) => ({ month, rows })),
        missingHeads: [...missingHeads],
      };
    },
  };
}
