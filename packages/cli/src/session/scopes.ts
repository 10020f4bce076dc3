/** The scopes that the commands need. A login asks for the first one only, unless `--scope` names others. */
export const allScopes = ["vault.items:read", "vault.items:delete", "vault.items:restore"] as const;

/** A scope that a command needs. */
export type Scope = (typeof allScopes)[number];
