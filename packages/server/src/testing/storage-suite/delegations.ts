import { describe, expect, it } from "vitest";
import { type DeleteItemOutcome, deleteItem } from "../../domain/delete-item.js";
import { changeDelegation, endDelegation } from "../../domain/manage-delegation.js";
import { type Delegation, delegations } from "../../domain/model/delegation.js";
import { refOf, type Storage } from "../../ports/storage.js";
import { fakeClock } from "../fake-clock.js";
import { runDelegationModel } from "../models/run-delegation-model.js";
import { actor, itemRef, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { createDelegation, readValue } from "./values.js";

const delegationId = "delegation-1";
const key = delegations.key(tenantId, delegationId);

export function describeDelegations(harness: Harness): void {
  const open = async (maxDeletions: number) => {
    const opened = await harness.open();
    const { storage, clock, createVault, put } = opened;
    await createDelegation(
      storage,
      { tenantId, principalId, oauthClientId, delegationId, bounds: { maxDeletions } },
      clock.now(),
    );
    const fill = async (vaultId: string, count: number) => {
      await createVault(vaultId);
      const ids = Array.from({ length: count }, (_, index) => `item-${index}`);
      await Promise.all(ids.map((itemId) => put(itemRef(itemId, vaultId), itemId, 0)));
      return ids.map((itemId) => itemRef(itemId, vaultId));
    };
    return {
      ...opened,
      fill,
      budget: (): Promise<Delegation | undefined> => readValue(storage, delegations, delegationId),
      remove: async (ref: ReturnType<typeof itemRef>, by = principalId, on: Pick<Storage, "transact"> = storage) => {
        const rule = deleteItem(1, actor, clock.now(), delegationId);
        return (await on.transact({ kind: "item", ...ref, principalId: by, record: key }, rule)).outcome;
      },
    };
  };

  describe("delegations: a budget of deletions (RFC 9396)", () => {
    it("64 deletions at the same moment, in two vaults, with a budget of 10: exactly 10 items are deleted", async () => {
      const { fill, remove, budget, find } = await open(10);
      const refs = [...(await fill("vault-1", 32)), ...(await fill("vault-2", 32))];
      const outcomes = await Promise.all(refs.map((ref) => remove(ref)));
      expect(tally(outcomes)).toEqual({ deleted: 10, DELEGATION_EXHAUSTED: 54 });
      expect(outcomes.find(({ ok }) => !ok)).toMatchObject({ allowed: 10, used: 10 });
      const items = await Promise.all(refs.map(find));
      expect(items.filter((item) => item?.state === "deleted")).toHaveLength(10);
      expect(await budget()).toMatchObject({ deletions: 10 });
    });

    it("64 retries of one deletion at the same moment use one of the budget", async () => {
      const { fill, remove, budget } = await open(1);
      const [ref = itemRef("")] = await fill("vault-1", 1);
      const outcomes = await Promise.all(Array.from({ length: 64 }, () => remove(ref)));
      expect(tally(outcomes)).toEqual({ deleted: 64 });
      expect(await budget()).toMatchObject({ deletions: 1 });
    });

    it("a change and an end apply to the deletions after them", async () => {
      const { storage, clock, fill, remove, budget } = await open(1);
      const [one = itemRef(""), two = one, three = one] = await fill("vault-1", 3);
      const change = changeDelegation(delegationId, { maxDeletions: 2 }, actor, clock.now());
      const end = endDelegation(delegationId, actor, clock.now());
      const outcomes = await Promise.all([
        remove(one),
        storage.transact(refOf(key), change).then(({ outcome }) => outcome),
        remove(two),
        storage.transact(refOf(key), end).then(({ outcome }) => outcome),
        remove(three),
      ]);
      expect(outcomes).toMatchObject([
        { ok: true },
        { ok: true },
        { ok: true },
        { ok: true },
        { ok: false, reason: "DELEGATION_ENDED" },
      ]);
      expect(await budget()).toMatchObject({ deletions: 2, endedAt: clock.now() });
    });

    it("the record is not read for a principal who is not a member", async () => {
      const { fill, remove } = await open(0);
      const [ref = itemRef("")] = await fill("vault-1", 1);
      expect(await remove(ref, "stranger")).toEqual({ ok: false, reason: "VAULT_NOT_FOUND" });
      expect(await remove(itemRef("item-0", "vault-9"))).toEqual({ ok: false, reason: "VAULT_NOT_FOUND" });
    });

    it("a delegation that does not exist allows nothing", async () => {
      const { storage, clock, fill } = await open(1);
      const [ref = itemRef("")] = await fill("vault-1", 1);
      const record = delegations.key(tenantId, "unknown");
      const rule = deleteItem(1, actor, clock.now(), "unknown");
      const { outcome } = await storage.transact({ kind: "item", ...ref, principalId, record }, rule);
      expect(outcome).toEqual({ ok: false, reason: "DELEGATION_ENDED" });
    });

    it("the budget survives a reopening", async () => {
      const { storage, fill, remove, reopen } = await open(1);
      const [one = itemRef(""), two = one] = await fill("vault-1", 2);
      await remove(one);
      await storage.close();
      const rejection = { ok: false, reason: "DELEGATION_EXHAUSTED", allowed: 1, used: 1 };
      expect(await remove(two, principalId, await reopen())).toEqual(rejection);
    });

    it("deletions in any order with retries, conflicts, restorations, changes and ends follow the model", async () => {
      const { storage } = await harness.open();
      const clock = fakeClock();
      await runDelegationModel(() => ({ storage, clock }), 40);
    });
  });
}

/** Counts outcomes by their reason. */
function tally(outcomes: readonly DeleteItemOutcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const name = outcome.ok ? "deleted" : outcome.reason;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
