import type { Admin } from "./admin.ts";
import { fixture } from "./plan.ts";

const { tenantId, userId, agent, stranger, vaults, shreddingVault, operations } = fixture;

/** Creates what the load needs: principals, OAuth clients, vaults and their members. */
export async function prepareLoad(admin: Admin): Promise<void> {
  for (const principalId of [userId, agent.principalId, stranger.principalId]) {
    await admin.succeed("AccessAdminService/SetPrincipal", { tenantId, principalId, active: true });
  }
  for (const { oauthClientId } of [agent, stranger]) {
    const oauthClient = { tenantId, oauthClientId, name: oauthClientId, allowedOperations: operations, enabled: true };
    await admin.succeed("AccessAdminService/SetOauthClient", oauthClient);
  }
  for (const vaultId of [...vaults, shreddingVault]) {
    const retentionDays = vaultId === shreddingVault ? 0 : 30;
    await admin.succeed("VaultAdminService/CreateVault", { tenantId, vaultId, retentionDays });
    for (const principalId of [userId, agent.principalId]) {
      await admin.succeed("VaultAdminService/SetVaultMember", { tenantId, vaultId, principalId, role: "member" });
    }
  }
}
