import type { Call, Platform } from "@platform-rpc/server";

/** Creates a vault with an item, and a device that a person has approved. Returns a token, and the requests of two calls. */
export async function createFirstVault({ own }: Platform) {
  const [tenantId, principalId, oauthClientId, vaultId] = ["acme", "ada", "desktop", "personal"];
  // The audit trail records the actor. `wanted` returns whether the caller still waits for the result.
  const setup = { tenantId, principalId: "setup", oauthClientId: "setup", tokenId: "none", operation: "setup" };
  const call: Call = { actor: { ...setup, requestId: crypto.randomUUID() }, wanted: () => true };

  // The owner, and the vault.
  await own.setPrincipal({ tenantId, principalId, active: true }, call);
  requireOk(await own.createVault({ tenantId, vaultId, retentionDays: 30 }, call));
  requireOk(await own.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, call));

  // The program that calls, and what it may call. A token also needs the scopes of the operation.
  const allowedOperations = [
    "platform.v1.VaultService/DeleteItem",
    "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  ];
  await own.setOauthClient({ tenantId, oauthClientId, name: "Desktop", allowedOperations, enabled: true }, call);
  const scopes = ["vault.items:delete", "identity.device_authorizations:exchange"];
  const token = { tenantId, principalId, oauthClientId, scopes, lifeSeconds: 900 };
  const { accessToken } = await own.issueAccessToken(token, call);

  // An item. The server stores it as it is: programs encrypt items with `sealItem` of @platform-rpc/client/crypto.
  const encryptedPayload = { alg: "A256GCM", nonce: "MDEyMzQ1Njc4OWFi", aad: "", ciphertext: "c2VjcmV0", version: 1 };
  const content = { kind: "login", titleHash: "", encryptedPayload, wrappedKeys: [] };
  const place = { access: "administrator", tenantId, vaultId, itemId: "" } as const;
  const stored = await own.putItem({ ...place, baseVersion: 0, ...content }, call);
  requireOk(stored);
  const { itemId, version: baseVersion } = stored.item;

  // A device asks for access, and the owner approves. Your own pages show the user code and ask the person.
  const started = await own.startDeviceAuthorization({ tenantId, oauthClientId, scopes, popPublicJwk: "" }, call);
  requireOk(started);
  const { userCode, deviceCode } = started;
  requireOk(await own.answerDeviceAuthorization({ tenantId, principalId, userCode }, { approve: scopes }, call));

  return { accessToken, deleteItem: { vaultId, itemId, baseVersion }, exchange: { deviceCode } };
}

/** Operations return `{ ok: false, reason }` instead of throwing, such as VAULT_ALREADY_EXISTS. */
function requireOk<Outcome extends { readonly ok: boolean }>(
  outcome: Outcome,
): asserts outcome is Extract<Outcome, { readonly ok: true }> {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}
