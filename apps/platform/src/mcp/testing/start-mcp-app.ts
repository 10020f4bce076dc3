import { deviceGrant } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { tenantId } from "../../../test/accounts/members/testing/start-member-app.js";
import type { AppOptions } from "../../app/app.js";
import { startTestApp } from "../../testing/start-test-app.js";

export const oauthClientId = "assistant";
export const redirectUri = "http://127.0.0.1/callback";

/** The metadata document of a client that nobody has registered. */
export const clientDocument = {
  client_id: "https://client.example/client.json",
  client_name: "Assistant",
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
};

/** Starts the app with its MCP listener, and registers an OAuth client for assistants. */
export async function startMcpApp(
  environment: Readonly<Record<string, string>> = {},
  parts: Partial<Pick<AppOptions, "clocks" | "logger">> = {},
) {
  const fetchDocument = async () => ({ text: JSON.stringify(clientDocument), cacheControl: "" });
  const app = await startTestApp(
    { ACCOUNTS_TENANT: tenantId, CLIENT_ID_METADATA: "on", ...environment },
    { fetchDocument, ...parts },
  );
  const { accountsUrl = "", pagesUrl = "", mcpUrl = "" } = app;
  const operations = ["ListVaults", "ListChanges", "GetItem", "RestoreItem"];
  await app.admin("AccessAdminService/SetOauthClient", {
    tenantId,
    oauthClientId,
    name: "Assistant",
    redirectUris: [redirectUri],
    grantTypes: ["authorization_code", "refresh_token", deviceGrant],
    allowedOperations: [
      "platform.v1.VaultService/DeleteItem",
      ...operations.map((name) => `platform.accounts.v1.MemberVaultService/${name}`),
    ],
    enabled: true,
  });
  return {
    ...app,
    accountsUrl,
    pagesUrl,
    mcpUrl,
    /** Signs a new person up, who has a vault with these items. */
    async person(...items: readonly string[]) {
      const person = await signUpPerson({ openBrowser: () => openSiteBrowser(pagesUrl) });
      for (const itemId of items) {
        const place = { tenantId, vaultId: person.accountId, itemId, baseVersion: 0 };
        await app.admin("VaultAdminService/PutItem", { ...place, ...content });
      }
      return person;
    },
    async apiToken(principalId: string) {
      const scopes = ["vault.items:read", "vault.items:delete"];
      const issued = await app.admin("AccessAdminService/IssueAccessToken", {
        ...{ tenantId, principalId, oauthClientId, scopes },
      });
      return String(Object(issued).accessToken);
    },
  };
}

export type McpApp = Awaited<ReturnType<typeof startMcpApp>>;
export type McpPerson = Awaited<ReturnType<McpApp["person"]>>;
