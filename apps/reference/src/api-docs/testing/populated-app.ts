import { publicOperations } from "@platform-rpc/server";
import { expect } from "vitest";
import { z } from "zod";
import { call } from "../../testing/call.js";
import { startTestApp, type TestApp } from "../../testing/start-test-app.js";

/** An app with test data: items to delete, device codes in every state, and tokens of every kind. */
export interface PopulatedApp extends TestApp {
  /** Mostly tokens of a member with all permissions; also tokens without some permission, and a revoked one. */
  readonly accessTokens: readonly string[];
  /** For each field of a request, by name, values that exist. */
  readonly known: Readonly<Record<string, readonly unknown[]>>;
}

const vaults = "platform.internal.v1.VaultAdminService/";
const devices = "platform.internal.v1.DeviceAuthorizationService/";
const access = "platform.internal.v1.AccessAdminService/";
const scopes = [...new Set([...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes))];
const tenantId = "t-1";
const vaultId = "v-1";
const oauthClientId = "c-1";
const content = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "p-owner", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
};

export async function startPopulatedApp(): Promise<PopulatedApp> {
  const app = await startTestApp({ RATE_LIMITS: "off" });
  const done = async (operation: string, body: object) => {
    const { status, json, text } = await call(app.internalUrl, operation, body, app.adminToken);
    expect(status, text).toBe(200);
    return z.record(z.string(), z.unknown()).parse(json);
  };

  await done(`${vaults}CreateVault`, { tenantId, vaultId });
  const clients = { [oauthClientId]: [...publicOperations.keys()], "c-unlisted": [] };
  for (const [id, allowedOperations] of Object.entries(clients)) {
    await done(`${access}SetOauthClient`, { tenantId, oauthClientId: id, name: id, allowedOperations, enabled: true });
  }
  const roles = { "p-owner": "owner", "p-viewer": "viewer", "p-stranger": "" };
  for (const [principalId, role] of Object.entries(roles)) {
    await done(`${access}SetPrincipal`, { tenantId, principalId, active: true });
    await done(`${vaults}SetVaultMember`, { tenantId, vaultId, principalId, role });
  }
  const issue = async (principalId: string, held = scopes, client = oauthClientId) => {
    const subject = { tenantId, principalId, oauthClientId: client, scopes: held };
    return z
      .object({ accessToken: z.string(), tokenId: z.string() })
      .parse(await done(`${access}IssueAccessToken`, subject));
  };
  const revoked = await issue("p-owner");
  await done(`${access}RevokeToken`, { tokenId: revoked.tokenId });
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
    await done(`${vaults}PutItem`, { tenantId, vaultId, itemId, baseVersion: 0, ...content });
  const deviceCodes: string[] = [];
  for (const answer of ["", "Approve", "Deny"]) {
    for (let count = 0; count < 8; count += 1) {
      const { deviceCode, userCode } = await done(`${devices}StartDeviceAuthorization`, {
        tenantId,
        oauthClientId,
        scopes,
      });
      const approver = { tenantId, principalId: "p-owner", userCode };
      if (answer !== "")
        await done(`${devices}${answer}DeviceAuthorization`, { ...approver, ...(answer === "Approve" && { scopes }) });
      deviceCodes.push(z.string().parse(deviceCode));
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
