import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { auditLine } from "../../domain/audit-seal.js";
import type { DatabaseHistory, HistoryReading } from "../../domain/history.js";
import { integer, optional, type Row, text } from "./database/columns.js";
import { toAuditRow } from "./tables/audit-trail.js";

/**
 * Creates a function that reads the history of a database. It lists no events: `restoreSqliteBackup` reads them from the replaced
 * database. Nor does it look for acknowledged changes: no server fails over.
 */
export function createReadHistory(database: DatabaseSync): (known: DatabaseHistory | undefined) => HistoryReading {
  const selectRow = database.prepare("SELECT * FROM audit WHERE position = ?");
  const selectNewest = database.prepare("SELECT * FROM audit ORDER BY position DESC LIMIT 1");
  const selectSeal = database.prepare("SELECT position, trail FROM audit_seals WHERE position = ?");
  const selectSealed = database.prepare("SELECT position, trail FROM audit_seals ORDER BY position DESC LIMIT 1");
  const selectEpoch = database.prepare("SELECT max(began_at) AS began_at FROM epochs");
  return (known) => {
    const row = selectRow.get(known?.newest?.position ?? 0);
    const seal = selectSeal.get(known?.sealed?.position ?? 0);
    const newest = selectNewest.get();
    const sealed = selectSealed.get();
    const first = selectRow.get(1);
    return {
      installation: first === undefined ? "" : digestOf(first),
      database: "sqlite",
      timeline: undefined,
      announcedAt: optional(integer, selectEpoch.get() ?? {}, "began_at") ?? 0,
      newest: newest && { position: integer(newest, "position"), digest: digestOf(newest), at: integer(newest, "at") },
      sealed: sealed && { position: integer(sealed, "position"), digest: text(sealed, "trail") },
      knownRow: row && digestOf(row),
      knownSeal: seal && text(seal, "trail"),
      lostChange: undefined,
      events: [],
    };
  };
}

function digestOf(row: Row): string {
  return createHash("sha256")
    .update(auditLine(toAuditRow(row)))
    .digest("hex");
}
