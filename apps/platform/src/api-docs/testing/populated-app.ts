import { content } from "@platform-rpc/accounts/testing/item-content";
import { publicOperations } from "@platform-rpc/server/host";
import { z } from "zod";
import { startTestApp, type TestApp } from "../../testing/start-test-app.js";

/** An app with test data: items to delete, device codes in every state, and tokens of every kind. */
export interface PopulatedApp extends TestApp {
  /** Mostly tokens of a member with all permissions; also tokens without some permission, and a revoked one. */
  readonly accessTokens: readonly string[];
  /** For each field of a request, by name, values that exist. */
  readonly known: Readonly<Record<string, readonly unknown[]>>;
}

const vaults = "VaultAdminService/";
const devices = "DeviceAuthorizationService/";
const access = "AccessAdminService/";
const scopes = [...new Set([...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes))];
const tenantId = "t-1";
const vaultId = "v-1";
const oauthClientId = "c-1";
const started = z.object({ deviceCode: z.string(), userCode: z.string() });
const issued = z.object({ accessToken: z.string(), tokenId: z.string() });

export async function startPopulatedApp(): Promise<PopulatedApp> {
  const app = await startTestApp({ RATE_LIMITS: "off" });
  await app.admin(`${vaults}CreateVault`, { tenantId, vaultId });
  const clients = { [oauthClientId]: [...publicOperations.keys()], "c-unlisted": [] };
  for (const [id, allowedOperations] of Object.entries(clients)) {
    await app.admin(`${access}SetOauthClient`, {
      tenantId,
      oauthClientId: id,
      name: id,
      allowedOperations,
      enabled: true,
    });
  }
  const roles = { "p-owner": "owner", "p-viewer": "viewer", "p-stranger": "" };
  for (const [principalId, role] of Object.entries(roles)) {
    await app.admin(`${access}SetPrincipal`, { tenantId, principalId, active: true });
    await app.admin(`${vaults}SetVaultMember`, { tenantId, vaultId, principalId, role });
  }
  const issue = async (principalId: string, held = scopes, client = oauthClientId) => {
    const subject = { tenantId, principalId, oauthClientId: client, scopes: held };
    return issued.parse(await app.admin(`${access}IssueAccessToken`, subject));
  };
  const revoked = await issue("p-owner");
  await app.admin(`${access}RevokeToken`, { tokenId: revoked.tokenId });
  const tokens = [
    ...[await issue("p-owner"), await issue("p-owner"), await issue("p-owner"), await issue("p-viewer")],
    ...[
      await issue("p-stranger"),
      await issue("p-owner", ["unrelated"]),
      await issue("p-owner", scopes, "c-unlisted"),
      revoked,
    ],
  ];

  const itemIds = Array.from({ length: 40 }, (_, index) => `i-${index}`);
  for (const itemId of itemIds)
    await app.admin(`${vaults}PutItem`, { tenantId, vaultId, itemId, baseVersion: 0, ...content });
  const deviceCodes: string[] = [];
  for (const answer of ["", "Approve", "Deny"]) {
    for (let count = 0; count < 8; count += 1) {
      const request = { tenantId, oauthClientId, scopes };
      const { deviceCode, userCode } = started.parse(await app.admin(`${devices}StartDeviceAuthorization`, request));
      const approver = { tenantId, principalId: "p-owner", userCode };
      if (answer !== "")
        await app.admin(`${devices}${answer}DeviceAuthorization`, {
          ...approver,
          ...(answer === "Approve" && { scopes }),
        });
      deviceCodes.push(deviceCode);
    }
  }
  return {
    ...app,
    accessTokens: tokens.map(({ accessToken }) => accessToken),
    known: {
      vaultId: [vaultId],
      itemId: [...itemIds, ...itemIds.map((itemId) => `${itemId}-missing`)],
      baseVersion: [1, 2, 3],
      deviceCode: deviceCodes,
      pageToken: [""],
    },
  };
}
