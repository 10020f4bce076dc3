import type { Actor, AuditRecord } from "./actor.js";
import type { Write } from "./decision.js";

/** The audit record of a change, as a write of the same decision. */
export function audit(
  actor: Actor,
  at: number,
  told: Pick<AuditRecord, "subjectTenantId" | "subject" | "event"> &
    Partial<Pick<AuditRecord, "versionBefore" | "versionAfter">>,
): Write {
  return { kind: "audit", record: { ...actor, versionBefore: 0, versionAfter: 0, ...told, at } };
}
