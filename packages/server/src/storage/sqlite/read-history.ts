import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { auditLine } from "../../domain/model/audit-seal.js";
import type { DatabaseHistory, HistoryReading } from "../../domain/model/history.js";
import { integer, type Row } from "./database/columns.js";
import { selectSeals, toAuditSeal } from "./tables/audit-seals.js";
import { toAuditRow } from "./tables/audit-trail.js";
import { toEpoch } from "./tables/epochs.js";

/**
 * Creates a function that reads the history of a database. It lists no events: `restoreSqliteBackup` reads them from the replaced
 * database. Nor does it look for acknowledged changes: no server fails over.
 */
export function createReadHistory(database: DatabaseSync): (known: DatabaseHistory | undefined) => HistoryReading {
  const selectRow = database.prepare("SELECT * FROM audit WHERE position = ?");
  const selectNewest = database.prepare("SELECT * FROM audit ORDER BY position DESC LIMIT 1");
  const selectSeal = database.prepare(`${selectSeals} WHERE position = ?`);
  const selectSealed = database.prepare(`${selectSeals} ORDER BY position DESC LIMIT 1`);
  const selectEpochs = database.prepare("SELECT * FROM epochs");
  return (known) => {
    const row = selectRow.get(known?.newest?.position ?? 0);
    const seal = selectSeal.get(known?.sealed?.position ?? 0);
    const newest = selectNewest.get();
    const newestSeal = selectSealed.get();
    const sealed = newestSeal && toAuditSeal(newestSeal);
    const first = selectRow.get(1);
    return {
      installation: first === undefined ? "" : digestOf(first),
      database: "sqlite",
      timeline: undefined,
      announcedAt: Math.max(0, ...selectEpochs.all().map((epoch) => toEpoch(epoch).beganAt)),
      newest: newest && { position: integer(newest, "position"), digest: digestOf(newest), at: integer(newest, "at") },
      sealed: sealed && { position: sealed.position, digest: sealed.trail },
      knownRow: row && digestOf(row),
      knownSeal: seal && toAuditSeal(seal).trail,
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
