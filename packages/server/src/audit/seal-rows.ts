import { createHash } from "node:crypto";
import { type AuditRow, type AuditSeal, auditLine, monthOf, noDigest } from "../domain/model/audit-seal.js";

/** The newest seal of a tenant, as far as the next one depends on it. */
export type AuditHead = Pick<AuditSeal, "position" | "digest">;

/** Rows without a seal, and what their seals continue. */
export interface UnsealedRows {
  /** In ascending order of position. */
  readonly rows: readonly AuditRow[];
  /** Returns the newest seal of a tenant; undefined if it has none. */
  readonly headOf: (subjectTenantId: string) => AuditHead | undefined;
  /** `trail` of the newest seal of all tenants; undefined if there is none. */
  readonly trail: string | undefined;
}

/** Seals rows: one seal for each tenant and month. Returns the seals in ascending order of position, in which they are linked. */
export function sealRows({ rows, headOf, trail = noDigest }: UnsealedRows): AuditSeal[] {
  const open = new Map<string, Omit<AuditSeal, "previousTrail" | "trail">>();
  const closed: Omit<AuditSeal, "previousTrail" | "trail">[] = [];
  for (const row of rows) {
    const { subjectTenantId, position, at } = row;
    const month = monthOf(at);
    const current = open.get(subjectTenantId);
    const digest = (before: string) => rowDigest(before, auditLine(row));
    if (current?.month === month) {
      const grown = { ...current, position, rows: current.rows + 1, digest: digest(current.digest) };
      open.set(subjectTenantId, grown);
      continue;
    }
    if (current !== undefined) closed.push(current);
    const head = current ?? headOf(subjectTenantId) ?? { position: 0, digest: noDigest };
    open.set(subjectTenantId, {
      subjectTenantId,
      previousPosition: head.position,
      position,
      rows: 1,
      month,
      previousDigest: head.digest,
      digest: digest(head.digest),
    });
  }
  const seals = [...closed, ...open.values()].sort((a, b) => a.position - b.position);
  let previousTrail = trail;
  return seals.map((seal) => {
    const linked = { ...seal, previousTrail, trail: trailDigest(previousTrail, seal) };
    previousTrail = linked.trail;
    return linked;
  });
}

function rowDigest(before: string, line: string): string {
  return createHash("sha256").update(before, "hex").update(line).digest("hex");
}

/**
 * Returns `trail` of a seal, from that of the seal before it. It covers the month and the number of rows, too: otherwise someone could
 * remove rows and let their seal say that they are of a month that was archived.
 */
export function trailDigest(
  before: string,
  { digest, month, rows }: Pick<AuditSeal, "digest" | "month" | "rows">,
): string {
  return createHash("sha256").update(before, "hex").update(digest, "hex").update(`${month} ${rows}`).digest("hex");
}

export function rowsDigest(before: string, lines: readonly string[]): string {
  return lines.reduce(rowDigest, before);
}
