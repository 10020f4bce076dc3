import { describe, expect, it } from "vitest";
import { codeLifeSeconds } from "../../domain/model/device-authorization.js";
import { recordsOf } from "../../domain/model/record.js";
import { findFamily, refreshFamilies } from "../../domain/model/refresh-family.js";
import { readAccess } from "../../services/read-access.js";
import { createDeviceFixture, resultOf } from "./device-fixture.js";
import { oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";

const twenty = Array.from({ length: 20 }, (_, index) => index);

export function describeDeviceAuthorizations(harness: Harness): void {
  const open = async () => {
    const opened = await harness.open();
    const device = createDeviceFixture(opened.storage, opened.clock);
    await device.setUp();
    return { storage: opened.storage, clock: opened.clock, device };
  };

  describe("device authorizations (RFC 8628)", () => {
    it("are read exactly as they were written, in every state", async () => {
      const { device, clock } = await open();
      const started = await device.start("code-1", "user-1");
      const pending = {
        deviceCodeHash: "code-1",
        userCodeHash: "user-1",
        tenantId,
        oauthClientId,
        requestedScopes: ["vault.items:delete"],
        popKeyId: "thumbprint",
        state: "pending",
        revision: 1,
        createdAt: clock.now(),
        expiresAt: clock.now() + codeLifeSeconds * 1000,
        intervalSeconds: 5,
        lastPollAt: undefined,
        approverId: undefined,
        approvedScopes: [],
        consumption: undefined,
      };
      expect(started).toEqual({ ok: true, authorization: pending });
      expect(await device.find("code-1")).toEqual(pending);

      const polled = { ...pending, revision: 2, lastPollAt: clock.now() };
      await device.exchange("code-1");
      expect(await device.find("code-1")).toEqual(polled);

      const approved = { ...polled, state: "approved", revision: 3, approverId: principalId };
      await device.answer("user-1");
      expect(await device.find("code-1")).toEqual({ ...approved, approvedScopes: ["vault.items:delete"] });

      await device.exchange("code-1", { key: "key-hash" });
      expect(await device.find("code-1")).toEqual({
        ...approved,
        approvedScopes: ["vault.items:delete"],
        state: "consumed",
        revision: 4,
        consumption: { grantId: "grant-2", principalId, idempotencyKeyHash: "key-hash", at: clock.now() },
      });
    });

    it("approves exactly one of 20 concurrent exchanges of an approved code", async () => {
      const { device } = await open();
      await device.start("code-1");
      await device.answer("user-code-1");
      const results = await Promise.all(twenty.map(() => device.exchange("code-1")));
      const statuses = results.map(resultOf).sort();
      expect(statuses).toEqual([...twenty.slice(1).map(() => "DEVICE_CODE_CONSUMED"), "approved"]);
    });

    it("returns the same grant to 20 concurrent exchanges with one Idempotency-Key", async () => {
      const { device } = await open();
      await device.start("code-1");
      await device.answer("user-code-1");
      const results = await Promise.all(twenty.map(() => device.exchange("code-1", { key: "key-hash" })));
      const grants = results.map((result) => (result.ok && result.status === "approved" ? result.grant : undefined));
      expect(grants).toEqual(twenty.map(() => grants[0]));
      expect(grants[0]).toMatchObject({ tenantId, principalId, oauthClientId, popKeyId: "thumbprint" });
    });

    it("keeps the first of 20 concurrent answers", async () => {
      const { device } = await open();
      await device.start("code-1");
      const answers = await Promise.all(
        twenty.map((index) => (index === 0 ? device.answer("user-code-1", "deny") : device.answer("user-code-1"))),
      );
      expect(answers.map(({ ok }) => ok)).toEqual(twenty.map((index) => index === 0));
      expect(resultOf(await device.exchange("code-1"))).toBe("access_denied");
    });

    it("finds the newest authorization of a user code, and an older one only by its device code", async () => {
      const { device, clock } = await open();
      await device.start("code-old", "user-1");
      expect(await device.start("code-new", "user-1")).toEqual({ ok: false, reason: "USER_CODE_TAKEN" });
      clock.advance(codeLifeSeconds * 1000);
      expect(await device.start("code-new", "user-1")).toMatchObject({ ok: true });
      // Changing the older one does not make it the newest.
      expect(resultOf(await device.exchange("code-old"))).toBe("expired_token");
      expect(await device.answer("user-1")).toEqual({ ok: true });
      expect(await device.find("code-new")).toMatchObject({ state: "approved" });
      expect(await device.find("code-old")).toMatchObject({ state: "pending" });
    });

    it("revokes the grant of a consumed code sent by another OAuth client, also in the same batch", async () => {
      const { storage, device } = await open();
      await device.start("code-1");
      await device.answer("user-code-1");
      const results = await Promise.all([
        device.exchange("code-1", { key: "key-hash" }),
        device.exchange("code-1", { caller: "other-client" }),
        device.exchange("code-1", { key: "key-hash" }),
      ]);
      expect(results.map(resultOf)).toEqual(["approved", "DEVICE_CODE_INVALID", "DEVICE_CODE_CONSUMED"]);
      const access = { tenantId, principalId, oauthClientId, tokenId: "access-1", grantId: "grant-1" };
      expect(await readAccess(storage, access)).toMatchObject({ revoked: true });
    });

    it("revokes the refresh family of such a code in the same batch", async () => {
      const { storage, clock, device } = await open();
      await device.start("code-1");
      await device.answer("user-code-1");
      const redeemed = device.exchange("code-1", { key: "key-hash", opensFamily: true });
      const stolen = device.exchange("code-1", { caller: "other-client" });
      expect([resultOf(await redeemed), resultOf(await stolen)]).toEqual(["approved", "DEVICE_CODE_INVALID"]);
      const view = recordsOf(await storage.readRecords([refreshFamilies.key(tenantId, "grant-1")]));
      expect(findFamily(view, tenantId, "grant-1", clock.now())).toBeUndefined();
      const access = { tenantId, principalId, oauthClientId, tokenId: "access-1", grantId: "grant-1" };
      expect(await readAccess(storage, access)).toMatchObject({ revoked: true });
    });
  });
}
