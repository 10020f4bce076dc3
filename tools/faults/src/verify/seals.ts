import { createHash } from "node:crypto";
import type { AuditRow, AuditSeal, Stored } from "../history/history-file.ts";

const nothing = "0".repeat(64);

/** Computes the hash chains of docs/operate/audit.md again, and shares no code with the server, whose mistakes would verify themselves. */
export function* findWrongSeals({ audit, seals }: Stored): Generator<string> {
  yield* findWrongChains(chainedSeals(seals), audit);
  const sorted = seals.toSorted((a, b) => a.position - b.position);
  yield* findWrongTrail(sorted.filter(({ arrived = false }) => !arrived));
}

/** Returns the seals of the chain of each tenant, by position. A tenant that comes back brings those along that it has left behind. */
export function chainedSeals(seals: Stored["seals"]): Stored["seals"] {
  const sorted = seals.toSorted((a, b) => a.position - b.position);
  const arrived = sorted.filter(({ arrived = false }) => arrived);
  const arrivedUntil = new Map(arrived.map(({ subjectTenantId, position }) => [subjectTenantId, position]));
  return sorted.filter((seal) => seal.arrived || seal.position > (arrivedUntil.get(seal.subjectTenantId) ?? 0));
}

function* findWrongChains(seals: Stored["seals"], audit: Stored["audit"]): Generator<string> {
  const heads = new Map<string, { readonly position: number; readonly digest: string }>();
  const rowsOf = Map.groupBy(audit, ({ subjectTenantId }) => subjectTenantId);
  for (const seal of seals) {
    const name = nameOf(seal);
    const before = heads.get(seal.subjectTenantId) ?? { position: 0, digest: nothing };
    heads.set(seal.subjectTenantId, seal);
    if (seal.previousPosition !== before.position) {
      yield `${name} continues position ${seal.previousPosition}, and the seal before it is at ${before.position}`;
    }
    const rows = (rowsOf.get(seal.subjectTenantId) ?? []).filter(
      ({ position }) => position > before.position && position <= seal.position,
    );
    if (rows.length !== seal.rows) yield `${name} covers ${seal.rows} records, and the audit trail has ${rows.length}`;
    const other = rows.find(({ at }) => !new Date(at).toISOString().startsWith(seal.month));
    if (other !== undefined) yield `${name} is of ${seal.month}, and covers ${lineOf(other)}`;
    const digest = rows.reduce((digest, row) => sha256(digest, lineOf(row)), before.digest);
    if (digest !== seal.digest) yield `${name} has the digest ${seal.digest}, and its records have ${digest}`;
  }
}

function* findWrongTrail(seals: Stored["seals"]): Generator<string> {
  let trail = nothing;
  for (const seal of seals) {
    trail = sha256(trail, Buffer.from(seal.digest, "hex"), `${seal.month} ${seal.rows}`);
    if (trail !== seal.trail) yield `${nameOf(seal)} has the trail ${seal.trail}, and the seals up to it have ${trail}`;
    trail = seal.trail;
  }
}

function nameOf({ subjectTenantId, position }: AuditSeal): string {
  return `the seal of ${subjectTenantId} at ${position}`;
}

function sha256(before: string, ...parts: readonly (string | Uint8Array)[]): string {
  return parts.reduce((hash, part) => hash.update(part), createHash("sha256").update(before, "hex")).digest("hex");
}

function lineOf(row: AuditRow): string {
  const { position, at, subjectTenantId, subject, event, versionBefore, versionAfter, ...by } = row;
  const { tenantId, principalId, oauthClientId, tokenId, operation, requestId } = by;
  const change = { position, at, subjectTenantId, subject, event, versionBefore, versionAfter };
  return JSON.stringify({ ...change, tenantId, principalId, oauthClientId, tokenId, operation, requestId });
}
