import { describe, expect, it } from "vitest";
import type { RegisteredOauthClient } from "../../domain/access.js";
import type { Grant } from "../../domain/grant.js";
import { issueAccessToken, registerOauthClient, revokeToken, setOauthClient } from "../../domain/manage-access.js";
import { withoutCodeGrant } from "../without-code-grant.js";
import { actor, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { findGrant } from "./rules.js";

const grant: Grant = {
  grantId: "grant-1",
  tenantId,
  principalId,
  oauthClientId,
  scopes: ["a:read", "b:write"],
  keyId: "key-1",
  issuedAt: 1_700_000_000,
  expiresAt: 1_700_000_900,
  accessTokenId: "access-1",
  brokerTokenId: "broker-1",
  popKeyId: "thumbprint",
};
const ofGrant = { tenantId, principalId, oauthClientId, tokenId: "access-1", grantId: "grant-1" };

export function describeAccess({ open }: Harness): void {
  describe("listGrants: the grants of a principal", () => {
    it("lists those that are neither expired nor revoked, the newest first", async () => {
      const { storage } = await open();
      const issue = (grantId: string, change: Partial<Grant> = {}) => {
        const issued = { ...grant, grantId, accessTokenId: `access-${grantId}`, brokerTokenId: "", ...change };
        return storage.transact({ kind: "nothing" }, issueAccessToken(issued, actor, 0));
      };
      await issue("older", { issuedAt: 100, expiresAt: 1000 });
      await issue("newer", { issuedAt: 200, expiresAt: 1100 });
      await issue("expired", { issuedAt: 50, expiresAt: 900 });
      await issue("revoked", { issuedAt: 300, expiresAt: 1200 });
      await issue("of another tenant", { tenantId: "tenant-2", expiresAt: 2000 });
      await issue("of another principal", { principalId: "principal-2", expiresAt: 2000 });
      const revoked = { kind: "token", tokenId: "access-revoked" } as const;
      await storage.transact(revoked, revokeToken("access-revoked", actor, 5));

      const query = { tenantId, principalId, expiresAfter: 900, limit: 10 };
      const listed = await storage.listGrants(query);
      expect(listed.map(({ grantId }) => grantId)).toEqual(["newer", "older"]);
      expect(listed[1]).toEqual({
        ...grant,
        ...{ grantId: "older", accessTokenId: "access-older", brokerTokenId: "", issuedAt: 100, expiresAt: 1000 },
      });
      expect(await storage.listGrants({ ...query, limit: 1 })).toEqual(listed.slice(0, 1));
    });
  });

  describe("readAccess: the current state of a token's subjects", () => {
    it("denies by default in an empty storage", async () => {
      const { storage } = await open();
      const unknown = { oauthClient: undefined, principalActive: false };
      expect(await storage.readAccess({ ...ofGrant, grantId: "" })).toEqual({ ...unknown, revoked: false });
      expect(await storage.readAccess(ofGrant)).toEqual({ ...unknown, revoked: true });
    });

    it("returns the last written OAuth client and principal of the tenant", async () => {
      const { storage, write } = await open();
      const oauthClient: RegisteredOauthClient = {
        tenantId,
        oauthClientId,
        name: "Agent",
        allowedOperations: ["platform.v1.VaultService/DeleteItem"],
        enabled: true,
        redirectUris: ["http://127.0.0.1/callback", "com.example.agent:/callback"],
        grantTypes: ["authorization_code", "refresh_token"],
        requirePushedAuthorizationRequests: true,
        registeredAt: 5,
        registeredBy: "admin-1",
      };
      const principal = { tenantId, principalId, active: true };
      await write({ kind: "oauthClient", oauthClient }, { kind: "principal", principal });
      expect(await storage.readAccess(ofGrant)).toMatchObject({ oauthClient, principalActive: true });
      const elsewhere = await storage.readAccess({ ...ofGrant, tenantId: "tenant-2" });
      expect(elsewhere).toMatchObject({ oauthClient: undefined, principalActive: false });

      const changed = { ...oauthClient, ...withoutCodeGrant, name: "Agent 2", allowedOperations: [], enabled: false };
      await write(
        { kind: "oauthClient", oauthClient: changed },
        { kind: "principal", principal: { ...principal, active: false } },
      );
      expect(await storage.readAccess(ofGrant)).toMatchObject({ oauthClient: changed, principalActive: false });
    });

    it("returns when and by whom an OAuth client was created, also after it was replaced", async () => {
      const { storage } = await open();
      const created = {
        tenantId,
        oauthClientId,
        name: "Agent",
        allowedOperations: ["a"],
        ...withoutCodeGrant,
        enabled: true,
      };
      const register = (change: Partial<typeof created>, principalId: string, now: number) =>
        storage.transact(
          { kind: "nothing" },
          setOauthClient({ ...created, ...change }, { ...actor, principalId }, now),
        );
      // These are one batch.
      await Promise.all([
        register({}, "admin-1", 5),
        register({ name: "Renamed" }, "admin-2", 6),
        register({ oauthClientId: "agent-2" }, "admin-2", 7),
      ]);
      const registered = { ...created, registeredAt: 5, registeredBy: "admin-1" };
      expect((await storage.readAccess(ofGrant)).oauthClient).toEqual({ ...registered, name: "Renamed" });
      await register({ enabled: false }, "admin-3", 8);
      expect((await storage.readAccess(ofGrant)).oauthClient).toEqual({ ...registered, enabled: false });
      const { oauthClient: other } = await storage.readAccess({ ...ofGrant, oauthClientId: "agent-2" });
      expect(other).toMatchObject({ oauthClientId: "agent-2", registeredAt: 7, registeredBy: "admin-2" });
    });

    it("an OAuth client that registers itself keeps what an administrator sets, also in the same batch", async () => {
      const { storage } = await open();
      const registered = { redirectUris: ["com.example.agent:/callback"], grantTypes: ["authorization_code"] };
      const registration = { ...withoutCodeGrant, ...registered, requirePushedAuthorizationRequests: true };
      const client = { tenantId, oauthClientId, name: "Agent", allowedOperations: ["a"], ...withoutCodeGrant };
      const register = (name: string) =>
        storage.transact(
          { kind: "oauthClient", tenantId, oauthClientId },
          registerOauthClient({ ...client, ...registration, name, allowedOperations: ["a", "b"] }, actor, 5),
        );
      const set = (enabled: boolean) =>
        storage.transact({ kind: "nothing" }, setOauthClient({ ...client, enabled }, actor, 6));
      await register("Agent");
      expect((await storage.readAccess(ofGrant)).oauthClient).toMatchObject({ allowedOperations: ["a", "b"] });
      await Promise.all([set(true), register("Renamed")]);
      const replaced = { ...client, ...registration, enabled: true, name: "Renamed" };
      expect((await storage.readAccess(ofGrant)).oauthClient).toMatchObject(replaced);
      await Promise.all([set(false), register("Renamed again")]);
      expect((await storage.readAccess(ofGrant)).oauthClient).toMatchObject({ ...client, enabled: false });
    });

    it.each([
      ["its jti", "access-1", true],
      ["its grant", "grant-1", true],
      ["another token", "broker-1", false],
    ])("after revoking %s (%s), the token is revoked: %s", async (_, subjectId, revoked) => {
      const { storage, write } = await open();
      await write({ kind: "grant", grant });
      expect(await storage.readAccess(ofGrant)).toMatchObject({ revoked: false });
      await write({ kind: "revocation", subjectId, at: 1 });
      expect(await storage.readAccess(ofGrant)).toMatchObject({ revoked });
    });

    it("revokes a token of another issuer by its jti alone", async () => {
      const { storage, write } = await open();
      const foreign = { ...ofGrant, tokenId: "foreign-1", grantId: "" };
      expect(await storage.readAccess(foreign)).toMatchObject({ revoked: false });
      await write({ kind: "revocation", subjectId: "foreign-1", at: 1 });
      expect(await storage.readAccess(foreign)).toMatchObject({ revoked: true });
    });

    it("accepts a repeated revocation", async () => {
      const { write } = await open();
      const revocation = { kind: "revocation", subjectId: "grant-1", at: 1 } as const;
      await write(revocation);
      await expect(write(revocation, { ...revocation, at: 2 })).resolves.toBeUndefined();
    });
  });

  describe("grants", () => {
    it.each(["access-1", "broker-1"])("are found unchanged by the token %s", async (tokenId) => {
      const { storage, write } = await open();
      await write({ kind: "grant", grant });
      const { outcome } = await storage.transact({ kind: "token", tokenId }, findGrant());
      expect(outcome).toEqual(grant);
    });

    it("may lack a broker token, and are not found by the empty id", async () => {
      const { storage, write } = await open();
      const without = { ...grant, brokerTokenId: "" };
      await write({ kind: "grant", grant: without });
      await write({ kind: "grant", grant: { ...without, grantId: "grant-2", accessTokenId: "access-2" } });
      const { outcome } = await storage.transact({ kind: "token", tokenId: "" }, findGrant());
      expect(outcome).toBeUndefined();
    });

    it("are revoked with all tokens when their broker token is revoked", async () => {
      const { storage, write } = await open();
      await write({ kind: "grant", grant });
      await storage.transact({ kind: "token", tokenId: "broker-1" }, revokeToken("broker-1", actor, 1));
      expect(await storage.readAccess(ofGrant)).toMatchObject({ revoked: true });
    });
  });
}
