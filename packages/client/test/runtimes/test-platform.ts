import type { Call, PlatformOptions } from "@platform-rpc/server";
import { createMemoryKeyStore, createPlatform, publicOperations } from "@platform-rpc/server/fetch";
import type { Item, User } from "./environment.js";

const tenantId = "acme";
const oauthClientId = "program";
const call: Call = {
  actor: { tenantId, principalId: "setup", oauthClientId, tokenId: "setup", operation: "setup", requestId: "setup" },
  wanted: () => true,
};

export const issuer = "https://id.example";
export const brokerAudience = "https://broker.example";

/** Creates the platform that the suite calls, and a function for what a test asks of it. Runs in Node and in workerd. */
export async function createTestPlatform(options: Pick<PlatformOptions, "storage">) {
  const keys = createMemoryKeyStore();
  const platform = await createPlatform({ keys, issuer, audience: "https://api.example", brokerAudience, ...options });
  const { own } = platform;
  const allowedOperations = [...publicOperations.keys()];
  const scopes = [...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes);
  await own.setOauthClient({ tenantId, oauthClientId, name: "Program", allowedOperations, enabled: true }, call);

  async function newItem(principalId: string): Promise<Item> {
    const [vaultId, itemId] = [crypto.randomUUID(), crypto.randomUUID()];
    await own.createVault({ tenantId, vaultId, retentionDays: 30 }, call);
    await own.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, call);
    const encryptedPayload = { alg: "A256GCM", nonce: "bm9uY2U", aad: "", ciphertext: "c2VjcmV0", version: 1 };
    const content = { kind: "login", titleHash: "", encryptedPayload, wrappedKeys: [] };
    await own.putItem({ access: "administrator", tenantId, vaultId, itemId, baseVersion: 0, ...content }, call);
    return { vaultId, itemId, baseVersion: 1 };
  }

  async function startAuthorization(popPublicJwk: string) {
    const started = await own.startDeviceAuthorization({ tenantId, oauthClientId, scopes, popPublicJwk }, call);
    if (!started.ok) throw new Error(started.reason);
    return started;
  }

  function approve(principalId: string, userCode: string) {
    return own.answerDeviceAuthorization({ tenantId, principalId, userCode }, { approve: scopes }, call);
  }

  async function newUser(popPublicJwk: string): Promise<User> {
    const principalId = crypto.randomUUID();
    await own.setPrincipal({ tenantId, principalId, active: true }, call);
    const lifeSeconds = 0;
    const issued = await own.issueAccessToken({ tenantId, principalId, oauthClientId, scopes, lifeSeconds }, call);
    const approved = await startAuthorization(popPublicJwk);
    await approve(principalId, approved.userCode);
    const { deviceCode, userCode } = await startAuthorization("");
    return {
      principalId,
      token: issued.accessToken,
      item: await newItem(principalId),
      otherItem: await newItem(principalId),
      approvedCode: approved.deviceCode,
      deviceCode,
      userCode,
    };
  }

  return {
    platform,
    async ask(path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
      const { principalId = "", userCode = "", vaultId = "", itemId = "", popPublicJwk = "" } = query;
      if (path === "/new-user") return newUser(popPublicJwk);
      if (path === "/approve") return approve(principalId, userCode);
      if (path !== "/version") throw new Error(`nothing answers ${path}`);
      const found = await own.getItem({ access: "administrator", tenantId, vaultId, itemId }, call);
      return found.ok ? found.item.version : found.reason;
    },
  };
}
