/** The ids of the demo's tenant, user, OAuth client and vault. */
export const demoTenant = "demo";
export const demoUser = "demo-user";
export const demoOauthClient = "demo-agent";
export const demoVault = "demo-vault";
