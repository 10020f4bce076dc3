import type { ListChangesResult } from "@platform-rpc/server/host";
import { describe, expect, it, onTestFinished } from "vitest";
import { createChangeWatch } from "./change-watch.js";

const who = { tenantId: "t-1", principalId: "p-1" };
const never = new AbortController().signal;
const at = (vaultId: string, sequence = 0) => [{ vaultId, sequence }];
const aMinute = { positions: at("v-1"), ms: 60_000, signal: never, goesOn: async () => true };

/** Creates a watch of vaults whose heads the test sets. */
function setUp({ mostPerPrincipal = 10, mostInTotal = 100 } = {}) {
  const heads = new Map<string, number>();
  const reads: string[] = [];
  const state: { answer: ((vaultId: string) => Promise<ListChangesResult>) | undefined } = { answer: undefined };
  const watch = createChangeWatch({
    everyMs: 1,
    checkEveryMs: 1,
    mostPerPrincipal,
    mostInTotal,
    async listChanges({ vaultId }) {
      reads.push(vaultId);
      if (state.answer !== undefined) return state.answer(vaultId);
      return { ok: true, items: [], sequence: heads.get(vaultId) ?? 0, hasMore: false };
    },
  });
  onTestFinished(watch.close);
  return { heads, reads, state, watch };
}

describe("waiting for changes of vaults", () => {
  it("ends the waits of the vault that has changed, and no others", async () => {
    const { heads, watch } = setUp();
    const settled: string[] = [];
    const wait = async (vaultId: string, afterSequence: number) => {
      await watch.wait(who, { ...aMinute, positions: at(vaultId, afterSequence) });
      settled.push(`${vaultId} after ${afterSequence}`);
    };
    const [changed] = [wait("v-1", 3), wait("v-1", 4), wait("v-2", 0)];
    heads.set("v-1", 4);
    await changed;
    expect(settled).toEqual(["v-1 after 3"]);
  });

  it("ends a wait for several vaults with the first that changes, and counts it once", async () => {
    const { heads, watch } = setUp({ mostPerPrincipal: 1 });
    const waiting = watch.wait(who, { ...aMinute, positions: [...at("v-1", 3), ...at("v-2", 7)] });
    heads.set("v-2", 8);
    expect(await waiting).toBe(true);
    const again = watch.wait(who, { ...aMinute, positions: at("v-1", 3) });
    heads.set("v-1", 4);
    expect(await again).toBe(true);
  });

  it("reads a vault once for all of its waits, and nothing when no call waits", async () => {
    const { heads, reads, watch } = setUp();
    const waits = Array.from({ length: 5 }, () => watch.wait(who, aMinute));
    heads.set("v-1", 1);
    await Promise.all(waits);
    expect(reads).toEqual(["v-1"]);
  });

  it.each([
    ["the time is over", (_: AbortController) => ({ ...aMinute, ms: 1 })],
    ["the time is 0", (_: AbortController) => ({ ...aMinute, ms: 0 })],
    ["the caller is gone", (caller: AbortController) => ({ ...aMinute, signal: caller.signal })],
  ])("ends a wait when %s", async (_, optionsOf) => {
    const { watch } = setUp();
    const caller = new AbortController();
    const waiting = watch.wait(who, optionsOf(caller));
    caller.abort();
    expect(await waiting).toBe(true);
    expect(await watch.wait(who, { ...aMinute, signal: caller.signal })).toBe(true);
  });

  it("ends only the wait of the call that does not go on, as when its token is no longer valid", async () => {
    const { heads, watch } = setUp();
    let on = true;
    const other = watch.wait(who, aMinute);
    const waiting = watch.wait(who, { ...aMinute, goesOn: async () => on });
    on = false;
    expect(await waiting).toBe(true);
    expect(await Promise.race([other, "waits"])).toBe("waits");
    heads.set("v-1", 1);
    expect(await other).toBe(true);
  });

  it("does not end a wait because a check of its token failed", async () => {
    const { watch } = setUp();
    let checks = 0;
    const goesOn = async () => {
      checks += 1;
      if (checks === 1) throw new Error("the storage is unavailable");
      return checks < 3;
    };
    expect(await watch.wait(who, { ...aMinute, goesOn })).toBe(true);
    expect(checks).toBe(3);
  });

  it.each([
    ["is gone", async () => ({ ok: false, reason: "VAULT_NOT_FOUND" }) as const],
    ["cannot be read", () => Promise.reject(new Error("the storage is unavailable"))],
  ])("ends the waits of a vault that %s, so that each call gets its own error", async (_, answer) => {
    const { state, watch } = setUp();
    const waiting = watch.wait(who, aMinute);
    state.answer = answer;
    expect(await waiting).toBe(true);
  });

  it("rejects more waits of one principal than it may have, and accepts one again when another has ended", async () => {
    const { heads, watch } = setUp({ mostPerPrincipal: 2 });
    const waits = [watch.wait(who, aMinute), watch.wait(who, { ...aMinute, positions: at("v-2") })];
    expect(await watch.wait(who, { ...aMinute, positions: at("v-3") })).toBe(false);
    const other = watch.wait({ ...who, principalId: "p-2" }, aMinute);
    const elsewhere = watch.wait({ ...who, tenantId: "t-2" }, aMinute);
    heads.set("v-1", 1);
    await Promise.all([waits[0], other, elsewhere]);
    const again = watch.wait(who, aMinute);
    heads.set("v-1", 2);
    expect(await again).toBe(true);
  });

  it("rejects more waits of all principals than there may be, and accepts one again when another has ended", async () => {
    const { heads, watch } = setUp({ mostInTotal: 2 });
    const of = (principalId: string) => watch.wait({ ...who, principalId }, aMinute);
    const waits = [of("p-1"), of("p-2")];
    expect(await of("p-3")).toBe(false);
    heads.set("v-1", 1);
    expect(await Promise.all(waits)).toEqual([true, true]);
    expect(await of("p-3")).toBe(true);
  });

  it("ends all waits when it is closed, and later ones at once", async () => {
    const { watch } = setUp();
    const waits = [watch.wait(who, aMinute), watch.wait(who, { ...aMinute, positions: at("v-2") })];
    watch.close();
    expect(await Promise.all(waits)).toEqual([true, true]);
    expect(await watch.wait(who, aMinute)).toBe(true);
  });
});
