import type { Call, Platform } from "@platform-rpc/server";

/** Creates a vault with an owner, and returns an access token with which the owner can delete its items. */
export async function createFirstVault({ own }: Platform): Promise<string> {
  const [tenantId, principalId, oauthClientId] = ["acme", "ada", "desktop"];
  const deleteItem = "platform.v1.VaultService/DeleteItem";
  // The audit trail records the actor. `wanted` returns whether the caller still waits for the result.
  const setup = { tenantId, principalId: "setup", oauthClientId: "setup", tokenId: "none", operation: "setup" };
  const call: Call = { actor: { ...setup, requestId: crypto.randomUUID() }, wanted: () => true };

  await own.setPrincipal({ tenantId, principalId, active: true }, call);
  await own.createVault({ tenantId, vaultId: "personal", retentionDays: 30 }, call);
  await own.setVaultMember({ tenantId, vaultId: "personal", principalId, role: "owner" }, call);
  const oauthClient = { tenantId, oauthClientId, name: "Desktop", allowedOperations: [deleteItem], enabled: true };
  await own.setOauthClient(oauthClient, call);

  const scopes = ["vault.items:delete"];
  const { accessToken } = await own.issueAccessToken(
    { tenantId, principalId, oauthClientId, scopes, lifeSeconds: 900 },
    call,
  );
  return accessToken;
}
