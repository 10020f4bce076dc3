import { describe, expect, it } from "vitest";
import {
  getGrant,
  issueAccessToken,
  registerOauthClient,
  revokeToken,
  setOauthClient,
} from "../../domain/manage-access.js";
import { oauthClients, principals, type RegisteredOauthClient } from "../../domain/model/access.js";
import { type Grant, grants, keyOfGrantPlace, revocations } from "../../domain/model/grant.js";
import { refOf, type Storage } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import { withoutCodeGrant } from "../without-code-grant.js";
import { actor, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { readValue, storeValue } from "./values.js";

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
  describe("readAccess: the current state of a token's subjects", () => {
    it("denies by default in an empty storage", async () => {
      const { storage } = await open();
      const unknown = { oauthClient: undefined, principalActive: false };
      expect(await readAccess(storage, { ...ofGrant, grantId: "" })).toEqual({ ...unknown, revoked: false });
      expect(await readAccess(storage, ofGrant)).toEqual({ ...unknown, revoked: true });
    });

    it("returns the last written OAuth client and principal of the tenant", async () => {
      const { storage } = await open();
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
      await storeValue(storage, oauthClients, oauthClient);
      await storeValue(storage, principals, principal);
      expect(await readAccess(storage, ofGrant)).toMatchObject({ oauthClient, principalActive: true });
      const elsewhere = await readAccess(storage, { ...ofGrant, tenantId: "tenant-2" });
      expect(elsewhere).toMatchObject({ oauthClient: undefined, principalActive: false });

      const changed = { ...oauthClient, ...withoutCodeGrant, name: "Agent 2", allowedOperations: [], enabled: false };
      await storeValue(storage, oauthClients, changed);
      await storeValue(storage, principals, { ...principal, active: false });
      expect(await readAccess(storage, ofGrant)).toMatchObject({ oauthClient: changed, principalActive: false });
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
          refOf(oauthClients.key(tenantId, change.oauthClientId ?? oauthClientId)),
          setOauthClient({ ...created, ...change }, { ...actor, principalId }, now),
        );
      // These are one batch.
      await Promise.all([
        register({}, "admin-1", 5),
        register({ name: "Renamed" }, "admin-2", 6),
        register({ oauthClientId: "agent-2" }, "admin-2", 7),
      ]);
      const registered = { ...created, registeredAt: 5, registeredBy: "admin-1" };
      expect((await readAccess(storage, ofGrant)).oauthClient).toEqual({ ...registered, name: "Renamed" });
      await register({ enabled: false }, "admin-3", 8);
      expect((await readAccess(storage, ofGrant)).oauthClient).toEqual({ ...registered, enabled: false });
      const { oauthClient: other } = await readAccess(storage, { ...ofGrant, oauthClientId: "agent-2" });
      expect(other).toMatchObject({ oauthClientId: "agent-2", registeredAt: 7, registeredBy: "admin-2" });
    });

    it("an OAuth client that registers itself keeps what an administrator sets, also in the same batch", async () => {
      const { storage } = await open();
      const registered = { redirectUris: ["com.example.agent:/callback"], grantTypes: ["authorization_code"] };
      const registration = { ...withoutCodeGrant, ...registered, requirePushedAuthorizationRequests: true };
      const client = { tenantId, oauthClientId, name: "Agent", allowedOperations: ["a"], ...withoutCodeGrant };
      const register = (name: string) =>
        storage.transact(
          refOf(oauthClients.key(tenantId, oauthClientId)),
          registerOauthClient({ ...client, ...registration, name, allowedOperations: ["a", "b"] }, actor, 5),
        );
      const set = (enabled: boolean) =>
        storage.transact(
          refOf(oauthClients.key(tenantId, oauthClientId)),
          setOauthClient({ ...client, enabled }, actor, 6),
        );
      await register("Agent");
      expect((await readAccess(storage, ofGrant)).oauthClient).toMatchObject({ allowedOperations: ["a", "b"] });
      await Promise.all([set(true), register("Renamed")]);
      const replaced = { ...client, ...registration, enabled: true, name: "Renamed" };
      expect((await readAccess(storage, ofGrant)).oauthClient).toMatchObject(replaced);
      await Promise.all([set(false), register("Renamed again")]);
      expect((await readAccess(storage, ofGrant)).oauthClient).toMatchObject({ ...client, enabled: false });
    });

    it.each(["access-1", "broker-1"])("a grant is revoked with all of its tokens by its token %s", async (tokenId) => {
      const { storage } = await open();
      await issue(storage, grant);
      expect(await readAccess(storage, ofGrant)).toMatchObject({ revoked: false });
      await revoke(storage, tokenId, 1);
      await revoke(storage, tokenId, 2);
      expect(await readAccess(storage, ofGrant)).toMatchObject({ revoked: true });
      expect(await readValue(storage, revocations, "grant-1")).toMatchObject({ at: 1 });
    });

    it("a token of another issuer is revoked by its jti alone", async () => {
      const { storage } = await open();
      const foreign = { ...ofGrant, tokenId: "foreign-1", grantId: "" };
      expect(await readAccess(storage, foreign)).toMatchObject({ revoked: false });
      await revoke(storage, "foreign-1", 1);
      await revoke(storage, "foreign-1", 2);
      expect(await readAccess(storage, foreign)).toMatchObject({ revoked: true });
      expect(await readAccess(storage, { ...foreign, tokenId: "foreign-2" })).toMatchObject({ revoked: false });
    });
  });

  describe("grants", () => {
    it.each(["access-1", "broker-1"])("are found unchanged by the token %s", async (tokenId) => {
      const { storage } = await open();
      await issue(storage, grant);
      expect((await storage.transact(refOf(keyOfGrantPlace(tokenId)), getGrant(tokenId))).outcome).toEqual(grant);
    });

    it("may lack a broker token, and are not found by the empty id", async () => {
      const { storage } = await open();
      await issue(storage, { ...grant, brokerTokenId: "" });
      await issue(storage, { ...grant, brokerTokenId: "", grantId: "grant-2", accessTokenId: "access-2" });
      expect((await storage.transact(refOf(keyOfGrantPlace("")), getGrant(""))).outcome).toBeUndefined();
    });

    it("are never written again, because the tokens that were signed from one must not change", async () => {
      const { storage } = await open();
      await issue(storage, grant);
      await expect(issue(storage, { ...grant, scopes: [] })).rejects.toMatchObject({ name: "StorageError" });
      expect(await readValue(storage, grants, "grant-1")).toEqual(grant);
    });
  });
}

function issue(storage: Storage, issued: Grant) {
  return storage.transact(refOf(), issueAccessToken(issued, actor, 0));
}

function revoke(storage: Storage, tokenId: string, now: number) {
  return storage.transact(refOf(keyOfGrantPlace(tokenId)), revokeToken(tokenId, actor, now));
}
