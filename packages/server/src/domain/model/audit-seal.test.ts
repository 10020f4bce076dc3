import { expect, it } from "vitest";
import { type AuditRow, type AuditSeal, auditEntryLine, auditLine, noDigest } from "./audit-seal.js";

const row: AuditRow = {
  position: 1,
  at: 1,
  subjectTenantId: "t-1",
  subject: "item:v-1/i-1",
  event: "deleted",
  versionBefore: 1,
  versionAfter: 2,
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "o",
  requestId: "r-1",
};
const seal: AuditSeal = {
  subjectTenantId: "t-1",
  previousPosition: 0,
  position: 1,
  rows: 1,
  month: "1970-01",
  previousDigest: noDigest,
  digest: "d",
  previousTrail: noDigest,
  trail: "t",
};

it("an export contains a row as its digest covers it, and a seal as the member `seal`", () => {
  expect(auditEntryLine(row)).toBe(auditLine(row));
  expect(JSON.parse(auditEntryLine(seal))).toEqual({ seal });
});
