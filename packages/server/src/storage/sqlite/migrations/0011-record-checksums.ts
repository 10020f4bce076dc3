/** Adds a checksum to each record. `sql-functions.ts` defines the function, which computes it as the program does. */
export const recordChecksums = `
ALTER TABLE records ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE records SET checksum = record_checksum(collection, key, tenant_id, principal_id, oauth_client_id, created_at, value);
`;
