import type { AuditListing, AuditPage, AuditQuery, SealedAudit } from "@platform-rpc/server";
import { entriesInOrder, sealRows } from "@platform-rpc/server/fetch";
import type { MemoryTables } from "./memory-tables.ts";

/** Seals the oldest rows that have no seal. */
export function sealAudit({ audit, auditSeals }: MemoryTables, limit: number): SealedAudit {
  const seals = auditSeals.all();
  const sealed = seals.at(-1)?.position ?? 0;
  const rows = audit.all().slice(sealed, sealed + limit);
  const headOf = (tenant: string) => seals.findLast(({ subjectTenantId }) => subjectTenantId === tenant);
  const added = sealRows({ rows, headOf, trail: seals.at(-1)?.trail });
  for (const seal of added) auditSeals.set(seal, String(seal.position));
  return { rows: rows.length, head: added.at(-1) };
}

/** Lists the rows of a tenant, the newest first. */
export function listAudit(
  { audit }: MemoryTables,
  { tenantId, before = Number.POSITIVE_INFINITY, limit }: AuditQuery,
): AuditListing {
  const older = audit.all().filter((row) => row.subjectTenantId === tenantId && row.position < before);
  const rows = older.toReversed().slice(0, limit);
  return { rows, next: older.length > limit ? rows.at(-1)?.position : undefined };
}

/** Reads a page of the sealed rows. Positions have no gaps, and begin with 1. */
export function readAudit({ audit, auditSeals }: MemoryTables, after: number, limit: number): AuditPage {
  const sealed = auditSeals.all().at(-1)?.position ?? 0;
  const position = Math.min(after + limit, sealed);
  const rows = audit.all().slice(after, position);
  const seals = auditSeals.all().filter((seal) => seal.position > after && seal.position <= position);
  const hasMore = position < sealed;
  return {
    entries: entriesInOrder(rows, seals),
    position,
    hasMore,
    unsealed: hasMore ? 0 : audit.all().length - sealed,
  };
}
