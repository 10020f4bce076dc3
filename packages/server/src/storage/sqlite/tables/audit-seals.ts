import type { DatabaseSync } from "node:sqlite";
import { type AuditHead, sealRows } from "../../../audit/seal-rows.js";
import { type AuditSeal, entriesInOrder, noDigest } from "../../../domain/model/audit-seal.js";
import type { AuditPage } from "../../../ports/queries.js";
import { checksumOf } from "../../checksum.js";
import { integer, optional, type Row, requireChecksum, text } from "../database/columns.js";
import { toAuditRow, toUncheckedAuditRow } from "./audit-trail.js";
import { createAuditedItems } from "./audited-changes.js";

/** Selects seals, and what the seals before them say. */
export const selectSeals: string = `
  SELECT *,
    (SELECT digest FROM audit_seals WHERE position = seals.previous_position) AS previous_digest,
    (SELECT trail FROM audit_seals WHERE position < seals.position ORDER BY position DESC LIMIT 1) AS previous_trail
  FROM audit_seals AS seals`;

/** The seals of the audit trail, and the rows that they cover: append-only. */
export function createAuditSeals(database: DatabaseSync) {
  const selectRows = database.prepare(
    "SELECT * FROM audit WHERE position > ? AND position <= ? ORDER BY position LIMIT ?",
  );
  const selectEnds = database.prepare(`
    SELECT (SELECT max(position) FROM audit_seals) AS sealed, (SELECT max(position) FROM audit) AS written`);
  const selectHead = database.prepare(`
    ${selectSeals} WHERE subject_tenant_id = ? ORDER BY position DESC LIMIT 1`);
  const selectSeal = database.prepare(`${selectSeals} WHERE position = ?`);
  const selectRange = database.prepare(`${selectSeals} WHERE position > ? AND position <= ? ORDER BY position`);
  const insert = database.prepare(`
    INSERT INTO audit_seals (position, subject_tenant_id, previous_position, row_count, month, digest, trail, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);

  const audited = createAuditedItems(database);

  const ends = () => {
    const row = selectEnds.get() ?? {};
    return { sealed: optional(integer, row, "sealed") ?? 0, written: optional(integer, row, "written") ?? 0 };
  };

  return {
    /** Returns the seals of the oldest rows that have none: at most `limit` rows. */
    next(limit: number): AuditSeal[] {
      const { sealed } = ends();
      const rows = selectRows.all(sealed, Number.MAX_SAFE_INTEGER, limit).map(toAuditRow);
      const newest = selectSeal.get(sealed);
      const headOf = (subjectTenantId: string): AuditHead | undefined => {
        const head = selectHead.get(subjectTenantId);
        return head && toAuditSeal(head);
      };
      return sealRows({ rows, headOf, trail: newest && toAuditSeal(newest).trail });
    },

    append(seal: AuditSeal): void {
      const { position, subjectTenantId, previousPosition, rows, month, digest, trail } = seal;
      insert.run(position, subjectTenantId, previousPosition, rows, month, digest, trail, sealChecksum(seal));
    },

    /**
     * Reads rows and seals as they are, because their reader compares the digests: those of a damaged one name it.
     *
     * @param noticed called with each damaged one
     */
    read(after: number, limit: number, noticed: (damage: unknown) => void): AuditPage {
      const { sealed, written } = ends();
      const found = selectRows.all(after, sealed, limit);
      const rows = found.map(toUncheckedAuditRow);
      const isSound = (check: (row: Row) => unknown, row: Row) => {
        try {
          check(row);
          return true;
        } catch (error) {
          noticed(error);
          return false;
        }
      };
      for (const [index, row] of rows.entries()) if (isSound(toAuditRow, found[index] ?? {})) audited(row);
      const position = rows.length < limit ? sealed : (rows.at(-1)?.position ?? sealed);
      const range = selectRange.all(after, position);
      for (const row of range) isSound(toAuditSeal, row);
      const seals = range.map(toUncheckedSeal);
      const hasMore = position < sealed;
      return { entries: entriesInOrder(rows, seals), position, hasMore, unsealed: hasMore ? 0 : written - sealed };
    },
  };
}

function sealChecksum({ subjectTenantId, previousPosition, position, rows, month, digest, trail }: AuditSeal): number {
  return checksumOf([subjectTenantId, month, digest, trail], position, previousPosition, rows);
}

/** Reads a seal. @throws DamagedRowError */
export function toAuditSeal(row: Row): AuditSeal {
  const seal = toUncheckedSeal(row);
  requireChecksum(row, sealChecksum(seal), "audit_seals");
  return seal;
}

function toUncheckedSeal(row: Row): AuditSeal {
  return {
    subjectTenantId: text(row, "subject_tenant_id"),
    previousPosition: integer(row, "previous_position"),
    position: integer(row, "position"),
    rows: integer(row, "row_count"),
    month: text(row, "month"),
    previousDigest: optional(text, row, "previous_digest") ?? noDigest,
    digest: text(row, "digest"),
    previousTrail: optional(text, row, "previous_trail") ?? noDigest,
    trail: text(row, "trail"),
  };
}
