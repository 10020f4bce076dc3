import { describe, expect, it } from "vitest";
import { issueAccessToken, revokeToken } from "../../domain/manage-access.js";
import { type Grant, keyOfGrantPlace } from "../../domain/model/grant.js";
import { refOf } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import { grantOf } from "../access-values.js";
import { actor, auditOf, itemRef, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { get, put, recordOf } from "./records.js";

const hour = 60 * 60 * 1000;

/** Returns a grant that expires `seconds` after the epoch. */
function grantUntil(seconds: number, id = "1", brokerTokenId = `broker-${id}`): Grant {
  const owner = { tenantId, principalId, oauthClientId };
  const ids = { grantId: `grant-${id}`, accessTokenId: `access-${id}`, brokerTokenId };
  return grantOf({ ...owner, ...ids, issuedAt: seconds - 900, expiresAt: seconds });
}

export function describePurge(harness: Harness): void {
  describe("readBacklog: the oldest work of the jobs", () => {
    it("is nothing in an empty storage", async () => {
      const { storage } = await harness.open();
      const nothing = { unsealedSince: undefined, shreddableFrom: undefined, expiredFrom: undefined };
      expect(await storage.readBacklog()).toEqual(nothing);
      await storage.close();
      await expect(storage.readBacklog()).rejects.toMatchObject({ name: "StorageError", reason: "unavailable" });
    });

    it("is the oldest row of the audit trail without a seal", async () => {
      const { storage, write } = await harness.open();
      for (const at of [1000, 2000, 3000]) await write(auditOf({ at }));
      const found: unknown[] = [];
      for (const sealed of [0, 1, 2]) {
        if (sealed > 0) await storage.sealAudit(sealed);
        found.push((await storage.readBacklog()).unsealedSince);
      }
      expect(found).toEqual([1000, 2000, undefined]);
    });

    it("is the tombstone whose retention ends first, also in the future", async () => {
      const { storage, clock, shred, ...vaults } = await harness.open();
      await vaults.createVault("vault-1", 2);
      await vaults.createVault("vault-2", 1);
      const [late, early] = [itemRef("late"), itemRef("early", "vault-2")];
      for (const ref of [late, early]) {
        await vaults.put(ref, "a", 0);
        await vaults.remove(ref, 1);
      }
      const deletedAt = clock.now();
      expect((await storage.readBacklog()).shreddableFrom).toBe(deletedAt + 24 * hour);
      clock.advance(24 * hour);
      await shred(early);
      expect((await storage.readBacklog()).shreddableFrom).toBe(deletedAt + 48 * hour);
    });

    it("is the record that expires first, also in the future", async () => {
      const { storage } = await harness.open();
      const found: unknown[] = [];
      for (const [key, expiresAt] of [
        ["never", undefined],
        ["late", 2000],
        ["early", 1000],
      ] as const) {
        await put(storage, recordOf(key, { expiresAt }));
        found.push((await storage.readBacklog()).expiredFrom);
      }
      expect(found).toEqual([undefined, 2000, 1000]);
    });
  });

  describe("purge: removes what has expired", () => {
    it("removes grants with their tokens and revocations, but no revocation of another issuer's token", async () => {
      const { storage } = await harness.open();
      const access = { tenantId, principalId, oauthClientId, tokenId: "access-1", grantId: "grant-1" };
      const revoke = (tokenId: string) =>
        storage.transact(refOf(keyOfGrantPlace(tokenId)), revokeToken(tokenId, actor, 0));
      await storage.transact(refOf(), issueAccessToken(grantUntil(1000), actor, 0));
      await storage.transact(refOf(), issueAccessToken(grantUntil(2000, "2", ""), actor, 0));
      for (const tokenId of ["access-1", "foreign-1"]) await revoke(tokenId);
      expect(await storage.purge(1_000_000, 9)).toBe(0);
      // The grant, its two tokens, and its revocation.
      expect(await storage.purge(1_000_001, 9)).toBe(4);
      expect((await readAccess(storage, access)).revoked).toBe(true);
      expect((await readAccess(storage, { ...access, grantId: "grant-2" })).revoked).toBe(false);
      expect((await readAccess(storage, { ...access, tokenId: "foreign-1", grantId: "" })).revoked).toBe(true);
      expect(await storage.purge(Number.MAX_SAFE_INTEGER, 9)).toBe(2);
    });

    it("removes records that expired before the time, and no others", async () => {
      const { storage } = await harness.open();
      await put(storage, recordOf("never"));
      for (const expiresAt of [1000, 1001]) await put(storage, recordOf(`until-${expiresAt}`, { expiresAt }));
      await put(storage, recordOf("extended", { expiresAt: 1000 }));
      await put(storage, recordOf("extended", { expiresAt: 2000 }), 1);
      expect(await storage.purge(1000, 9)).toBe(0);
      expect(await storage.purge(1001, 9)).toBe(1);
      expect(await put(storage, recordOf("until-1000"), 0, 5000)).toMatchObject({ ok: true, record: { revision: 1 } });
      expect(await get(storage, "until-1001")).toBeDefined();
      expect(await storage.purge(Number.MAX_SAFE_INTEGER, 9)).toBe(2);
      expect(await get(storage, "never")).toBeDefined();
    });

    it("removes the records that expired first, at most the limit, while they are written again", async () => {
      const { storage } = await harness.open();
      const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
      await Promise.all(keys.map((key, index) => put(storage, recordOf(key, { expiresAt: 1000 - index }))));
      expect(await storage.purge(2000, 4)).toBe(4);
      expect(await get(storage, "key-35")).toBeDefined();
      const purges = [storage.purge(2000, 20), storage.purge(2000, 20)];
      const again = await Promise.all(keys.map((key) => put(storage, recordOf(key), 0, 3000)));
      for (const result of again) expect(result).toMatchObject({ ok: true });
      await Promise.all(purges);
      expect(await storage.purge(2000, 100)).toBe(0);
      for (const key of keys) expect(await get(storage, key, 3000)).toBeDefined();
    });
  });
}
