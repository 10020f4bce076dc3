import { describe, expect, it, onTestFinished } from "vitest";
import { createClockWatch } from "../jobs/clock-watch.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { content } from "../testing/cases/item-case.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createSecrets } from "../tokens/secrets.js";
import type { Call } from "./call.js";
import { createItemOperations } from "./items.js";
import { createVaultOperations } from "./vaults.js";

function callOf(principalId: string): Call {
  const actor = {
    tenantId: "t-1",
    principalId,
    oauthClientId: "c-1",
    tokenId: "jti-1",
    operation: "any",
    requestId: "",
  };
  return { actor, wanted: () => true };
}
const admin = callOf("admin");
const call = callOf("p-1");

/** Creates the operations on an empty SQLite database in memory. */
function open() {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const watch = createClockWatch({ storage, runId: "run-1", clocks: clock });
  const deps = { storage, clock, secrets: createSecrets({ hmacKey: new Uint8Array(32), clock }) };
  const { createVault, setVaultMember, listVaults } = createVaultOperations(deps);
  return {
    clock,
    watch,
    createVault,
    addVault: async (vaultId: string, ...owners: readonly string[]) => {
      await createVault({ tenantId: "t-1", vaultId, retentionDays: undefined }, admin);
      for (const principalId of owners) {
        await setVaultMember({ tenantId: "t-1", vaultId, principalId, role: "owner" }, admin);
      }
    },
    listVaults,
    ...createItemOperations({ ...deps, trustedTime: () => watch.trustedTime }),
  };
}

// What the operations on items do is in testing/cases.
describe("what is new gets an id, unless the caller gives one (DECISIONS section 2: UUIDv7)", () => {
  const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it("an item", async () => {
    const { addVault, putItem, getItem } = open();
    await addVault("v-1", "p-1");
    const place = { access: "member", vaultId: "v-1" } as const;
    const put = await putItem({ ...place, itemId: "", baseVersion: 0, ...content }, call);
    if (!put.ok) return expect.unreachable(put.reason);
    expect(put.item.itemId).toMatch(uuidV7);
    expect(await getItem({ ...place, itemId: put.item.itemId }, call)).toEqual(put);
  });

  it("a vault, whose default retention is 30 days", async () => {
    const { createVault } = open();
    const made = await createVault({ tenantId: "t-1", vaultId: "", retentionDays: undefined }, admin);
    if (!made.ok) return expect.unreachable(made.reason);
    expect(made.vaultId).toMatch(uuidV7);
    const again = { tenantId: "t-1", vaultId: made.vaultId };
    expect(await createVault({ ...again, retentionDays: 30 }, admin)).toEqual(made);
    expect(await createVault({ ...again, retentionDays: 0 }, admin)).toMatchObject({ ok: false });
  });
});

describe("the vaults of a member", () => {
  it("are only those of the named ones of which the caller is a member", async () => {
    const { addVault, listVaults } = open();
    for (const id of ["v-1", "v-2", "v-3"]) await addVault(id, "p-1");
    await addVault("v-4", "p-2");
    const named = { vaultIds: ["v-4", "v-3", "v-1", "v-5"] };
    const all = await listVaults({ ...named, limit: 9 }, call);
    expect(all).toMatchObject({ vaults: [{ vaultId: "v-1" }, { vaultId: "v-3" }], hasMore: false });
    expect(await listVaults({ ...named, limit: 1 }, call)).toMatchObject({ hasMore: true });
    expect(await listVaults({ vaultIds: [], limit: 9 }, call)).toEqual({ vaults: [], hasMore: false });
  });
});

describe("a change of an item 400 days after the one before, by a wall clock that is then set back", () => {
  const ms = 400 * 24 * 60 * 60 * 1000;

  it.each<[title: string, pass: "advance" | "step", reads: boolean, contents: readonly string[]]>([
    ["drops what is older than a year if the clock is trusted", "advance", true, ["b"]],
    ["loses nothing if the clock is not trusted", "step", true, ["b", "a"]],
    ["loses nothing before it is read whether the clock can be trusted", "step", false, ["b", "a"]],
  ])("%s", async (_, pass, reads, contents) => {
    const { clock, watch, addVault, putItem, listEarlierContents } = open();
    await addVault("v-1", "p-1");
    const place = { access: "member", vaultId: "v-1", itemId: "i-1" } as const;
    const put = (titleHash: string, baseVersion: number) =>
      putItem({ ...place, ...content, titleHash, baseVersion }, call);
    await put("a", 0);
    await put("b", 1);
    await watch.read();
    clock[pass](ms);
    if (reads) await watch.read();
    await put("c", 2);
    clock.step(-ms);
    const listed = await listEarlierContents(place, call);
    expect(listed).toMatchObject({ contents: contents.map((titleHash) => ({ titleHash })) });
  });
});
