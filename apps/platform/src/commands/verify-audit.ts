import {
  type AuditDifference,
  type AuditVerification,
  createAuditVerifier,
  type VerifiedTenant,
} from "@platform-rpc/server/host";
import type { Settings } from "../settings/settings.js";
import { askServer, readAuditFile, readAuditTrail } from "./read-audit-trail.js";

export interface VerifyAuditOptions {
  /** The path of an export. Default: the audit trail of the database. */
  readonly file?: string;
  /** Digests of earlier seals that were kept elsewhere. */
  readonly head?: readonly string[];
}

export interface AuditReport {
  readonly lines: readonly string[];
  /** What differs, and what to do; undefined if the audit trail is as it was sealed. */
  readonly failure: string | undefined;
}

/** Verifies the hash chains of the audit trail. @throws CommandError, SettingsError */
export async function verifyAudit(
  settings: Settings,
  { file, head: heads = [] }: VerifyAuditOptions,
): Promise<AuditReport> {
  const verifier = createAuditVerifier({ heads, partial: file !== undefined });
  const restores: string[] = [];
  let unsealed = 0;
  for await (const part of file === undefined ? readAuditTrail(settings) : readAuditFile(file)) {
    ({ unsealed } = part);
    for (const entry of part.entries) {
      if ("seal" in entry) verifier.seal(entry.seal);
      else {
        verifier.row({ ...entry.row, line: entry.line });
        if (isRestore(entry.row)) restores.push(timeOf(entry.row.at));
      }
    }
  }
  const result = verifier.end();
  // A running process that reads the damaged place rejects writes from then on. On PostgreSQL, none has read it yet.
  const [first] = file === undefined ? result.differences : [];
  if (first !== undefined) await askServer(settings, String(first.afterPosition)).catch(() => undefined);
  return { lines: describe(result, unsealed), failure: failureOf(result, restores) };
}

/** Returns whether a record is that of a new epoch: only a restore changes the data of no tenant. */
function isRestore({ subjectTenantId, operation }: { readonly subjectTenantId: string; readonly operation: string }) {
  return subjectTenantId === "" && operation === "restore";
}

function describe({ tenants, head, absentMonths }: AuditVerification, unsealed: number): string[] {
  const rows = tenants.reduce((sum, tenant) => sum + tenant.rows, 0);
  return [
    ...tenants.map(describeTenant),
    ...absentMonths.map(
      (each) =>
        `Not verified: ${count(each.rows)} records of ${each.month} are not here. Verify the export of that month.`,
    ),
    `Read: ${count(rows)} sealed records of ${count(tenants.length)} tenants. ${count(unsealed)} records are not sealed yet.`,
    ...(head === undefined ? [] : [`Head: ${head.trail} at position ${head.position}. Keep it outside the database.`]),
  ];
}

function describeTenant({ subjectTenantId, rows, position, digest }: VerifiedTenant): string {
  return `${nameOf(subjectTenantId)}: ${count(rows)} records, head ${digest} at position ${position}`;
}

const kinds: Readonly<Record<AuditDifference["kind"], string>> = {
  rows_changed: "a record was changed or moved",
  rows_missing: "a record was removed",
  rows_added: "a record was added",
  seal_changed: "a seal was changed, removed or added",
};

function failureOf(
  { differences, differenceCount, missingHeads }: AuditVerification,
  restores: readonly string[],
): string | undefined {
  const lines = differences.slice(0, 10).map(({ kind, subjectTenantId, afterPosition, position, month }) => {
    return `  ${nameOf(subjectTenantId)}: ${kinds[kind]}, after position ${afterPosition} and up to ${position} (${month})`;
  });
  const changed = [
    `The audit trail is not as it was sealed. Places that differ: ${count(differenceCount)}. The first ones:`,
    ...lines,
    "Find out who could write to the database. Compare these records with an export or a backup that was made before.",
  ];
  const cut =
    restores.length === 0
      ? "No restore of a backup is recorded."
      : `A backup was restored at ${restores.join(", ")}: heads that were sealed after that backup was made are gone. ` +
        "Verify with the newest head from before the backup.";
  const lost = missingHeads.map(
    (head) =>
      `The head ${head} is not here. Either records were changed or removed and sealed again, or the database was restored to an earlier point. ${cut}`,
  );
  const all = [...(differenceCount === 0 ? [] : changed), ...lost];
  return all.length === 0 ? undefined : all.join("\n");
}

function nameOf(tenant: string): string {
  return tenant === "" ? "(the whole database)" : tenant;
}

function count(number: number): string {
  return number.toLocaleString("en");
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
