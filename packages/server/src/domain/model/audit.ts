import type { Actor, AuditRecord } from "./actor.js";
import type { Write } from "./decision.js";

/** Creates the audit record of a change, as a write of the same decision. */
export function audit(
  actor: Actor,
  at: number,
  change: Pick<AuditRecord, "subjectTenantId" | "subject" | "event"> &
    Partial<Pick<AuditRecord, "versionBefore" | "versionAfter">>,
): Write {
  return { kind: "audit", record: { ...actor, versionBefore: 0, versionAfter: 0, ...change, at } };
}
