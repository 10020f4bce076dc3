/**
 * The seals of the audit trail, which link its rows in a hash chain for each tenant. They are written in rounds, not with each change:
 * an index on `audit` would cost each change another page.
 */
export const auditSeals = `
CREATE TABLE audit_seals (
  position INTEGER PRIMARY KEY,
  subject_tenant_id TEXT NOT NULL,
  previous_position INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  month TEXT NOT NULL,
  digest TEXT NOT NULL,
  trail TEXT NOT NULL
) STRICT;

CREATE INDEX audit_seals_by_tenant ON audit_seals (subject_tenant_id);

CREATE TRIGGER audit_seals_stand BEFORE UPDATE ON audit_seals
BEGIN SELECT RAISE(ABORT, 'audit_seals is append-only'); END;
CREATE TRIGGER audit_seals_stay BEFORE DELETE ON audit_seals
BEGIN SELECT RAISE(ABORT, 'audit_seals is append-only'); END;
`;
