/**
 * Adds records, the small documents of an application, and who registered an OAuth client.
 *
 * A record is one row in the tree of its primary key, so that reading one takes one lookup. One index lists the records of a
 * principal, in the order of their keys, without reading those of others. The other finds what has expired, without reading every
 * record each minute; records that never expire are not in it.
 */
export const records = `
CREATE TABLE records (
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  oauth_client_id TEXT NOT NULL,
  value TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (collection, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX records_by_principal ON records (collection, tenant_id, principal_id, key);
CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;

ALTER TABLE oauth_clients ADD COLUMN registered_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE oauth_clients ADD COLUMN registered_by TEXT NOT NULL DEFAULT '';
`;
