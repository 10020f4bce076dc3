import type { AuditRow, AuditSeal } from "../../history/stored.ts";

const by = { tenantId: "platform", principalId: "", oauthClientId: "", tokenId: "", operation: "admin-access" };
const row = (position: number, subjectTenantId: string, subject: string, event: string): AuditRow => ({
  ...{ position, at: 1_795_357_800_000 + position, subjectTenantId, subject, event, versionBefore: 0, versionAfter: 0 },
  ...{ ...by, requestId: `s-${position}` },
});

/** Audit records that are sealed. */
export const sealedRows: readonly AuditRow[] = [
  row(1, "platform", "principal:admin", "activated"),
  row(2, "platform", "oauth-client:admin", "enabled"),
  row(3, "t", "principal:p", "activated"),
  row(4, "platform", "principal:other", "activated"),
];

/** The seals of these records, computed by the Python program of docs/operate/audit.md, "Export it". */
export const seals: readonly AuditSeal[] = [
  {
    ...{ subjectTenantId: "platform", previousPosition: 0, position: 2, rows: 2, month: "2026-11" },
    digest: "a5fcb79998384fe0e1d2ee4da09d8f67d62fa9b678cfefdfb6e1318edfe0c4af",
    trail: "7459434534e6baca0ff24b20a46ff821f6bc61bd24fe36a4fb1059a0b11ed75a",
  },
  {
    ...{ subjectTenantId: "t", previousPosition: 0, position: 3, rows: 1, month: "2026-11" },
    digest: "127e4397272b96655127032e0d77af0e09b68e8bf03a74aa387b0b5dcea180e6",
    trail: "4f35284c302fcd434df86485525634cef396a7dca623cf1a82a7715746638b98",
  },
  {
    ...{ subjectTenantId: "platform", previousPosition: 2, position: 4, rows: 1, month: "2026-11" },
    digest: "535082e9856700a49863d25e98b94c09b50ae394f22c8948aad61644bbda070e",
    trail: "86517444fb6de0ead0b1972ddeaad808f51ee65ea7e546f8982dacfff72e5c63",
  },
];
