/** Adds an index that leads from a principal to the vaults of which it is a member. */
export const vaultsOfMembers = `
CREATE INDEX vault_members_by_principal ON vault_members (principal_id);
`;
