/** Finds the device authorizations and grants that expired first. */
export const purge = `
CREATE INDEX device_authorizations_by_expiry ON device_authorizations (expires_at);
CREATE INDEX grants_by_expiry ON grants (expires_at);
`;
