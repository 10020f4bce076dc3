import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AccessAdminService, DeviceAuthorizationService, VaultAdminService } from "@platform-rpc/types-internal";
import type { Item } from "./program/program-input.ts";
import type { ReferenceApp } from "./reference-app.ts";

const tenantId = "runtimes";
const oauthClientId = "program";
const scopes = ["vault.items:delete", "identity.device_authorizations:exchange"];

/** Prepares data for the program with the private operations. */
export type Tenant = Awaited<ReturnType<typeof createTenant>>;

/** Creates a tenant in which one OAuth client may call every public operation. */
export async function createTenant({ internalUrl, adminToken }: ReferenceApp) {
  const transport = createConnectTransport({
    baseUrl: internalUrl,
    useBinaryFormat: false,
    interceptors: [
      (next) => (request) => {
        request.header.set("Authorization", `Bearer ${adminToken}`);
        return next(request);
      },
    ],
  });
  const access = createClient(AccessAdminService, transport);
  const vaults = createClient(VaultAdminService, transport);
  const authorizations = createClient(DeviceAuthorizationService, transport);
  const allowedOperations = [
    "platform.v1.VaultService/DeleteItem",
    "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  ];
  await access.setOauthClient({ tenantId, oauthClientId, name: "Program", allowedOperations, enabled: true });

  return {
    /** Returns a token of a user who may delete the items that `newItem` creates for them. */
    async newToken(principalId: string): Promise<string> {
      await access.setPrincipal({ tenantId, principalId, active: true });
      return (await access.issueAccessToken({ tenantId, principalId, oauthClientId, scopes })).accessToken;
    },
    /** Creates a live item in a new vault. */
    async newItem(principalId: string): Promise<Item> {
      const { vaultId } = await vaults.createVault({ tenantId });
      await vaults.setVaultMember({ tenantId, vaultId, principalId, role: "owner" });
      const encryptedPayload = { alg: "A256GCM", nonce: "bm9uY2U", ciphertext: "c2VjcmV0", version: 1 };
      const { item } = await vaults.putItem({ tenantId, vaultId, kind: "login", encryptedPayload });
      return { vaultId, itemId: item?.itemId ?? "", baseVersion: 1 };
    },
    async versionOf({ vaultId, itemId }: Item): Promise<number | undefined> {
      return (await vaults.getItem({ tenantId, vaultId, itemId })).item?.version;
    },
    startAuthorization: (popPublicJwk = "") =>
      authorizations.startDeviceAuthorization({ tenantId, oauthClientId, scopes, popPublicJwk }),
    async approve(principalId: string, userCode: string): Promise<void> {
      await authorizations.approveDeviceAuthorization({ tenantId, principalId, userCode, scopes });
    },
  };
}
