import type { DatabaseSync } from "node:sqlite";
import { type AuditHead, sealRows } from "../../../audit/seal-rows.js";
import { type AuditSeal, entriesInOrder, noDigest } from "../../../domain/audit-seal.js";
import type { AuditPage } from "../../../ports/queries.js";
import { integer, optional, type Row, text } from "../database/columns.js";
import { toAuditRow } from "./audit-trail.js";

/** The seals of the audit trail, and the rows that they cover: append-only. */
export function createAuditSeals(database: DatabaseSync) {
  const selectRows = database.prepare(
    "SELECT * FROM audit WHERE position > ? AND position <= ? ORDER BY position LIMIT ?",
  );
  const selectEnds = database.prepare(`
    SELECT (SELECT max(position) FROM audit_seals) AS sealed, (SELECT max(position) FROM audit) AS written`);
  const selectHead = database.prepare(`
    SELECT position, digest FROM audit_seals WHERE subject_tenant_id = ? ORDER BY position DESC LIMIT 1`);
  const selectTrail = database.prepare("SELECT trail FROM audit_seals WHERE position = ?");
  const selectSeals = database.prepare(`
    SELECT *,
      (SELECT digest FROM audit_seals WHERE position = seals.previous_position) AS previous_digest,
      (SELECT trail FROM audit_seals WHERE position < seals.position ORDER BY position DESC LIMIT 1) AS previous_trail
    FROM audit_seals AS seals WHERE position > ? AND position <= ? ORDER BY position`);
  const insert = database.prepare(`
    INSERT INTO audit_seals (position, subject_tenant_id, previous_position, row_count, month, digest, trail)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);

  const ends = () => {
    const row = selectEnds.get() ?? {};
    return { sealed: optional(integer, row, "sealed") ?? 0, written: optional(integer, row, "written") ?? 0 };
  };
  const rowsIn = (after: number, until: number, limit: number) => selectRows.all(after, until, limit).map(toAuditRow);

  return {
    /** Returns the seals of the oldest rows that have none: at most `limit` rows. */
    next(limit: number): AuditSeal[] {
      const { sealed } = ends();
      const rows = rowsIn(sealed, Number.MAX_SAFE_INTEGER, limit);
      const newest = selectTrail.get(sealed);
      const headOf = (subjectTenantId: string): AuditHead | undefined => {
        const head = selectHead.get(subjectTenantId);
        return head && { position: integer(head, "position"), digest: text(head, "digest") };
      };
      return sealRows({ rows, headOf, trail: newest && text(newest, "trail") });
    },

    append(seal: AuditSeal): void {
      const { position, subjectTenantId, previousPosition, rows, month, digest, trail } = seal;
      insert.run(position, subjectTenantId, previousPosition, rows, month, digest, trail);
    },

    read(after: number, limit: number): AuditPage {
      const { sealed, written } = ends();
      const rows = rowsIn(after, sealed, limit);
      const position = rows.length < limit ? sealed : (rows.at(-1)?.position ?? sealed);
      const seals = selectSeals.all(after, position).map(toAuditSeal);
      const hasMore = position < sealed;
      // Rows are never removed, so positions have no gaps.
      return { entries: entriesInOrder(rows, seals), position, hasMore, unsealed: hasMore ? 0 : written - sealed };
    },
  };
}

function toAuditSeal(row: Row): AuditSeal {
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
