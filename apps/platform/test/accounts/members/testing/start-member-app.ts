import { randomUUID } from "node:crypto";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { expect } from "vitest";
import { z } from "zod";
import { type Answered, call } from "../../../../src/testing/call.js";
import { startTestApp, type TestApp } from "../../../../src/testing/start-test-app.js";

export const tenantId = "acme";

/** The scopes of the operations of members. */
export const scopes = [
  "vault.items:read",
  "vault.items:restore",
  "vault.items:write",
  "vault.items:delete",
  "vaults:manage",
];

/** An app with an accounts listener, and functions that call it. */
export interface MemberApp extends TestApp {
  readonly accountsUrl: string;
  readonly pagesUrl: string;
  /** Calls an operation of members. */
  member(
    method: string,
    body: object,
    token: string | undefined,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answered>;
  /** Issues an access token. Default: with every scope, for the platform's own CLI. */
  token(subject: {
    principalId: string;
    tenantId?: string;
    oauthClientId?: string;
    scopes?: string[];
  }): Promise<string>;
  /** Creates an item and deletes it, as a member. */
  deleted(ref: { readonly vaultId: string; readonly itemId: string }, token: string): Promise<void>;
  vault(members: Readonly<Record<string, string>>, retentionDays?: number): Promise<string>;
}

/** Starts the app with an accounts listener for the tenant "acme". */
export async function startMemberApp(environment: Readonly<Record<string, string>> = {}): Promise<MemberApp> {
  const app = await startTestApp({ ACCOUNTS_TENANT: tenantId, ...environment });
  const { accountsUrl = "", pagesUrl = "", admin } = app;
  const member: MemberApp["member"] = (method, ...request) =>
    call(accountsUrl, `platform.accounts.v1.MemberVaultService/${method}`, ...request);
  return {
    ...app,
    accountsUrl,
    pagesUrl,
    member,
    async deleted(ref, token) {
      const put = await member("PutItem", { ...ref, baseVersion: 0, ...content }, token);
      expect(put.status, put.text).toBe(200);
      const removed = await call(
        app.publicUrl,
        "platform.v1.VaultService/DeleteItem",
        { ...ref, baseVersion: 1 },
        token,
      );
      expect(removed.status, removed.text).toBe(200);
    },
    async token(subject) {
      const wanted = { tenantId, oauthClientId: "platform-cli", scopes, ...subject };
      await admin("AccessAdminService/SetPrincipal", {
        tenantId: wanted.tenantId,
        principalId: wanted.principalId,
        active: true,
      });
      const issued = await admin("AccessAdminService/IssueAccessToken", wanted);
      return z.object({ accessToken: z.string() }).parse(issued).accessToken;
    },
    async vault(members, retentionDays) {
      const vaultId = `v-${randomUUID()}`;
      await admin("VaultAdminService/CreateVault", { tenantId, vaultId, retentionDays });
      for (const [principalId, role] of Object.entries(members)) {
        await admin("VaultAdminService/SetVaultMember", { tenantId, vaultId, principalId, role });
      }
      return vaultId;
    },
  };
}
