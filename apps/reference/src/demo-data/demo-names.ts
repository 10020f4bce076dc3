/** Who and what the demo consists of. */
export const demoTenant = "demo";
export const demoUser = "demo-user";
export const demoOauthClient = "demo-agent";
export const demoVault = "demo-vault";
