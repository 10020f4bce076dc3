import type { AuditRow } from "./audit-seal.js";

export interface ActivityViewer {
  readonly tenantId: string;
  /** Never empty. */
  readonly principalId: string;
  readonly managedVaults: ReadonlySet<string>;
  /** The refresh families that the principal has approved. */
  readonly refreshFamilies: ReadonlySet<string>;
}

/**
 * Returns whether a principal may see a row of the audit trail: what they did themselves, also through software; what was done to
 * their account; and what anyone did in a vault that they may manage. Deny by default.
 */
export function mayView(row: AuditRow, viewer: ActivityViewer): boolean {
  const { tenantId, principalId, managedVaults, refreshFamilies } = viewer;
  if (row.subjectTenantId !== tenantId) return false;
  if (row.tenantId === tenantId && row.principalId === principalId) return true;
  const [kind, id, rest] = partsOfSubject(row.subject);
  switch (kind) {
    case "item":
    case "vault":
      return managedVaults.has(id);
    case "member":
      return managedVaults.has(id) || rest === principalId;
    case "account":
    case "principal":
      return row.subject === `${kind}:${principalId}`;
    case "passkey":
    case "session":
      return id === principalId;
    case "device-authorization":
      // The id of an OAuth client may be a URL.
      return row.event !== "started" && row.subject.endsWith(`/${principalId}`);
    case "refresh-family":
      return refreshFamilies.has(id);
    default:
      return false;
  }
}

/** Splits a subject, such as `item:v-1/i-1`, into its kind and its ids. Ids of vaults and principals have no slash. */
function partsOfSubject(subject: string): readonly [kind: string, id: string, rest: string | undefined] {
  const colon = subject.indexOf(":");
  const slash = subject.indexOf("/", colon);
  const kind = subject.slice(0, Math.max(0, colon));
  return slash < 0
    ? [kind, subject.slice(colon + 1), undefined]
    : [kind, subject.slice(colon + 1, slash), subject.slice(slash + 1)];
}
