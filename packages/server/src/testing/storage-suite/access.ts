import { describe, expect, it } from "vitest";
import { getGrant, issueAccessToken, revokeToken } from "../../domain/manage-access.js";
import { type Grant, grants, keyOfGrantPlace, revocations } from "../../domain/model/grant.js";
import { refOf, type Storage } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import { grantOf } from "../access-values.js";
import { actor, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { readValue } from "./values.js";

const grant = grantOf({
  ...{ grantId: "grant-1", tenantId, principalId, oauthClientId },
  ...{ scopes: ["a:read", "b:write"], popKeyId: "thumbprint", accessTokenId: "access-1", brokerTokenId: "broker-1" },
});
const ofGrant = { tenantId, principalId, oauthClientId, tokenId: "access-1", grantId: "grant-1" };

export function describeAccess({ open }: Harness): void {
  describe("readAccess: the current state of a token's subjects", () => {
    it("denies by default in an empty storage", async () => {
      const { storage } = await open();
      const unknown = { oauthClient: undefined, principalActive: false };
      expect(await readAccess(storage, { ...ofGrant, grantId: "" })).toEqual({ ...unknown, revoked: false });
      expect(await readAccess(storage, ofGrant)).toEqual({ ...unknown, revoked: true });
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
