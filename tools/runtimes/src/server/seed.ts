import type { Call } from "@platform-rpc/server";
import { type Platform, publicOperations } from "@platform-rpc/server/fetch";

const tenantId = "t-1";
const principalId = "p-1";
const oauthClientId = "c-1";
const seeding: Call = {
  actor: { tenantId, principalId, oauthClientId, tokenId: "seed", operation: "seed", requestId: "seed" },
  wanted: () => true,
};

/** A caller's token, and the item that it may delete. */
export interface Seeded {
  readonly token: string;
  readonly item: { readonly vaultId: string; readonly itemId: string; readonly baseVersion: number };
}

/** Creates a tenant with one item, and a token that may call every public operation. */
export async function seed({ own }: Platform): Promise<Seeded> {
  const allowedOperations = [...publicOperations.keys()];
  const scopes = [...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes);
  const [vaultId, itemId] = ["v-1", "i-1"];
  await own.setPrincipal({ tenantId, principalId, active: true }, seeding);
  await own.setOauthClient({ tenantId, oauthClientId, name: "Client", allowedOperations, enabled: true }, seeding);
  await own.createVault({ tenantId, vaultId, retentionDays: 30 }, seeding);
  await own.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, seeding);
  const encryptedPayload = { alg: "A256GCM", nonce: "bm9uY2U", aad: "", ciphertext: "c2VjcmV0", version: 1 };
  const content = { kind: "login", titleHash: "", encryptedPayload, wrappedKeys: [] };
  await own.putItem({ tenantId, vaultId, itemId, baseVersion: 0, ...content }, seeding);
  const issued = await own.issueAccessToken({ tenantId, principalId, oauthClientId, scopes, lifeSeconds: 0 }, seeding);
  return { token: issued.accessToken, item: { vaultId, itemId, baseVersion: 1 } };
}
