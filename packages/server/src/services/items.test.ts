import { describe, expect, it, onTestFinished } from "vitest";
import type { ItemContent } from "../domain/model/item.js";
import { createClockWatch } from "../jobs/clock-watch.js";
import { createShredItems } from "../jobs/shred-items.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createSecrets } from "../tokens/secrets.js";
import type { Call } from "./call.js";
import { createItemOperations } from "./items.js";
import { createVaultOperations } from "./vaults.js";

const day = 24 * 60 * 60 * 1000;
const ref = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1" };

function callOf(principalId: string, tenantId = "t-1"): Call {
  const actor = { tenantId, principalId, oauthClientId: "c-1", tokenId: "jti-1", operation: "any", requestId: "r-1" };
  return { actor, wanted: () => true };
}
const admin = callOf("admin");
const member = callOf("member-1");

const content: ItemContent = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
};

/** Creates the operations on a vault with one member, on an empty SQLite database in memory. */
async function vault({ retentionDays }: { retentionDays?: number } = {}) {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const deps = { storage, clock, secrets: createSecrets({ hmacKey: new Uint8Array(32), clock }) };
  const { createVault, setVaultMember } = createVaultOperations(deps);
  const items = createItemOperations(deps);
  const access = "administrator";
  const clockWatch = createClockWatch({ storage, runId: "run-1", clocks: clock });
  await createVault({ tenantId: "t-1", vaultId: "v-1", retentionDays }, admin);
  await setVaultMember({ tenantId: "t-1", vaultId: "v-1", principalId: "member-1", role: "member" }, admin);
  return {
    clock,
    storage,
    createVault,
    put: (itemId: string, baseVersion: number, change: Partial<ItemContent> = {}) =>
      items.putItem({ access, ...ref, ...content, ...change, itemId, baseVersion }, admin),
    delete: (itemId: string, baseVersion: number, call = member) =>
      items.deleteItem({ ...ref, itemId, baseVersion }, call),
    restore: (itemId: string, baseVersion: number) => items.restoreItem({ access, ...ref, itemId, baseVersion }, admin),
    get: (itemId: string) => items.getItem({ access, ...ref, itemId }, admin),
    list: (afterSequence: number, limit = 500) =>
      items.listChanges({ access, tenantId: "t-1", vaultId: "v-1", afterSequence, limit }, admin),
    shred: createShredItems({ ...deps, clockWatch }),
    trustClock: () => clockWatch.trust(admin),
  };
}

describe("DECISIONS section 3: calls on items", () => {
  it("does not begin work when the caller no longer waits", async () => {
    const items = await vault();
    await items.put("i-1", 0);
    await expect(items.delete("i-1", 1, { ...member, wanted: () => false })).rejects.toMatchObject({
      reason: "dropped",
    });
    expect(await items.get("i-1")).toMatchObject({ item: { state: "live", version: 1 } });
  });
});

describe("PutItem and CreateVault generate ids (DECISIONS section 2: UUIDv7)", () => {
  const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it("generates an id for an item created without one", async () => {
    const items = await vault();
    const result = await items.put("", 0);
    if (!result.ok) return expect.unreachable(result.reason);
    expect(result.item.itemId).toMatch(uuidV7);
    expect(await items.get(result.item.itemId)).toEqual(result);
  });

  it("generates an id for a vault created without one; its default retention is 30 days", async () => {
    const items = await vault();
    const made = await items.createVault({ tenantId: "t-1", vaultId: "", retentionDays: undefined }, admin);
    expect(made.ok && made.vaultId).toMatch(uuidV7);
    const again = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30 };
    expect(await items.createVault(again, admin)).toEqual({ ok: true, vaultId: "v-1" });
    expect(await items.createVault({ ...again, retentionDays: 0 }, admin)).toMatchObject({ ok: false });
  });
});

// What shredding leaves is in testing/cases.
describe("shredding (DECISIONS section 3: when the retention ends)", () => {
  it("shreds more than one batch", async () => {
    const items = await vault({ retentionDays: 1 });
    const ids = Array.from({ length: 130 }, (_, n) => `i-${n}`);
    await Promise.all(ids.map((id) => items.put(id, 0)));
    await Promise.all(ids.map((id) => items.delete(id, 1)));
    items.clock.advance(day);
    expect(await items.shred()).toBe(130);
  });

  it("stops between two batches when its signal is aborted", async () => {
    const items = await vault({ retentionDays: 1 });
    const ids = Array.from({ length: 130 }, (_, n) => `i-${n}`);
    await Promise.all(ids.map((id) => items.put(id, 0)));
    await Promise.all(ids.map((id) => items.delete(id, 1)));
    items.clock.advance(day);
    const stop = new AbortController();
    const shredding = items.shred(stop.signal);
    stop.abort();
    expect(await shredding).toBe(64);
    expect(await items.shred(stop.signal)).toBe(0);
    expect(await items.storage.listShreddable(items.clock.now(), 500)).toHaveLength(66);
  });

  it("two concurrent jobs shred each item once", async () => {
    const items = await vault({ retentionDays: 1 });
    const ids = Array.from({ length: 70 }, (_, n) => `i-${n}`);
    await Promise.all(ids.map((id) => items.put(id, 0)));
    await Promise.all(ids.map((id) => items.delete(id, 1)));
    items.clock.advance(day);
    const [one, other] = await Promise.all([items.shred(), items.shred()]);
    expect(one + other).toBe(70);
    expect(await items.storage.listShreddable(items.clock.now(), 1)).toEqual([]);
  });

  it("shreds nothing after the wall clock jumps 31 days ahead, until an operator trusts it", async () => {
    const items = await vault();
    await items.put("i-1", 0);
    await items.delete("i-1", 1);
    expect(await items.shred()).toBe(0);
    items.clock.step(31 * day);
    expect(await items.shred()).toBe(0);
    items.clock.advance(26_000);
    expect(await items.shred()).toBe(0);
    expect(await items.get("i-1")).toMatchObject({ item: { state: "deleted", titleHash: content.titleHash } });
    await items.trustClock();
    expect(await items.shred()).toBe(1);
  });
});
