import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { refOf } from "../../../ports/storage.js";
import { createFixture, itemRef, principalId, tenantId } from "../../../testing/storage-suite/fixture.js";
import { openPostgresHistory } from "../database/open-history.js";
import { commitWrites, openStorage } from "../testing/open-storages.js";
import { runSql } from "../testing/test-database.js";
import { MoveTenantError } from "./assignment.js";
import { cancelMove } from "./cancel-move.js";
import { type MoveStep, moveTenant } from "./move-tenant.js";
import { removeMovedTenant } from "./remove-moved-tenant.js";
import { type Cell, cell, contentsOf, createCells, differencesOf, fill, statesOf, verifyAll } from "./testing/cells.js";

/** Returns the change that the database lacks, to a process that remembers one of a tenant. */
async function lostChangeOf({ url }: Cell, of = tenantId) {
  const history = openPostgresHistory({ url });
  const change = { tenantId: of, vaultId: "vault-1", itemId: "item-0", sequence: 1, version: 1 };
  const reading = await history.read({ known: undefined, changes: [change], subjects: [] });
  await history.close();
  return reading?.lostChange;
}

describe("moveTenant", () => {
  it("moves everything: callers read the same, and go on with the same sequences and positions", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const before = await contentsOf(a.storage);
    const steps: MoveStep[] = [];
    const { copied, pausedMs } = await moveTenant({ tenantId, from: a, to: b, onStep: (step) => steps.push(step) });
    expect(steps).toEqual(["copying", "paused", "compared", "handed over", "serving"]);
    expect(copied).toBeGreaterThan(100);
    expect(pausedMs).toBeGreaterThan(0);
    await expect(a.storage.listVaults({ tenantId, principalId, limit: 9 })).rejects.toMatchObject({
      reason: "not_served",
    });
    expect(await contentsOf(b.storage)).toEqual(before);
    expect([(await statesOf(a)).get(tenantId), (await statesOf(b)).get(tenantId)]).toEqual(["moved", "serving"]);

    const [{ head } = { head: 0 }] = before.changes;
    expect(await b.put(itemRef("item-4"), "after", 1)).toMatchObject({ sequence: head + 1 });
    const { rows } = await b.storage.listAudit({ tenantId, limit: 2 });
    expect(rows[1]).toEqual(before.audit.rows[0]);
    expect(rows[0]?.position).toBeGreaterThan(rows[1]?.position ?? 0);
    for (const { storage } of [a, b]) {
      expect(await differencesOf(storage)).toEqual([]);
      await verifyAll(storage);
    }
    expect(await moveTenant({ tenantId, from: a, to: b })).toEqual({ copied: 0, pausedMs: 0 });
  });

  it("moves it back, with what has changed, also what was removed", async () => {
    const { a, b } = await createCells();
    await fill(a);
    await moveTenant({ tenantId, from: a, to: b });
    await b.put(itemRef("item-5"), "in b", 1);
    await b.restore(itemRef("item-2"), 2);
    await b.write({ kind: "member", tenantId, vaultId: "vault-2", principalId, role: undefined });
    await runSql(b.url, "DELETE FROM records WHERE key = 'one'");
    const before = await contentsOf(b.storage);
    await moveTenant({ tenantId, from: b, to: a });
    await setTimeout(250);
    expect(await contentsOf(a.storage)).toEqual(before);
    await a.put(itemRef("item-6"), "in a", 1);
    await moveTenant({ tenantId, from: a, to: b });
    await setTimeout(250);
    expect((await contentsOf(b.storage)).audit.rows).toHaveLength(before.audit.rows.length + 1);
    for (const { storage } of [a, b]) {
      expect(await differencesOf(storage)).toEqual([]);
      await verifyAll(storage);
    }
  });

  it.each(["copying", "paused", "compared", "handed over", "serving"] as const)(
    "continues after an interruption at the step %j, and at most one cell serves",
    async (at) => {
      const { a, b } = await createCells();
      await fill(a);
      const before = await contentsOf(a.storage);
      const onStep = (step: MoveStep) => {
        if (step === at) throw new Error("killed");
      };
      await expect(moveTenant({ tenantId, from: a, to: b, onStep })).rejects.toThrow("killed");
      const served = [(await statesOf(a)).get(tenantId), (await statesOf(b)).get(tenantId)];
      expect(served.filter((state) => state === "serving")).toHaveLength(at === "handed over" ? 0 : 1);
      await moveTenant({ tenantId, from: a, to: b });
      await setTimeout(250);
      expect(await contentsOf(b.storage)).toEqual(before);
      expect([(await statesOf(a)).get(tenantId), (await statesOf(b)).get(tenantId)]).toEqual(["moved", "serving"]);
    },
  );

  it("continues after it was killed while the writes were paused", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const before = await contentsOf(a.storage);
    await runSql(b.url, "SELECT platform_set_tenant($1, 0, 'arriving', 'a', 'm')", [tenantId]);
    await runSql(a.url, "SELECT platform_set_tenant($1, 1, 'paused', 'b', 'm')", [tenantId]);
    await moveTenant({ tenantId, from: a, to: b });
    expect(await contentsOf(b.storage)).toEqual(before);
  });

  it("serves again if the new cell can no longer be reached when an interrupted move is started again", async () => {
    const { a, b } = await createCells();
    await runSql(b.url, "SELECT platform_set_tenant($1, 0, 'arriving', 'a', 'm')", [tenantId]);
    await runSql(a.url, "SELECT platform_set_tenant($1, 1, 'paused', 'b', 'm')", [tenantId]);
    const unreachable = { name: "b", url: "postgres://nobody@127.0.0.1:1/b" };
    await expect(moveTenant({ tenantId, from: a, to: unreachable })).rejects.toMatchObject({
      ...{ reason: "unreachable", message: expect.stringMatching(/^The database of the cell b cannot be reached: ./) },
    });
    expect(await statesOf(a)).toEqual(new Map([[tenantId, "serving"]]));
    await moveTenant({ tenantId, from: a, to: b });
  });

  it("isNew: refuses a cell that has had the tenant before, because what the old cell has is older", async () => {
    const { a, b, c } = await createCells();
    await moveTenant({ tenantId, from: a, to: b, isNew: true });
    await moveTenant({ tenantId, from: b, to: c });
    await runSql(a.url, "SELECT platform_set_tenant($1, 3, 'serving', '', '')", [tenantId]);
    await expect(moveTenant({ tenantId, from: a, to: b, isNew: true })).rejects.toMatchObject({ reason: "claimed" });
    expect((await statesOf(b)).get(tenantId)).toBe("moved");
  });

  it("does not give a tenant back to a cell that it has left since, when an old command is run again", async () => {
    const { a, b } = await createCells();
    await fill(a);
    await moveTenant({ tenantId, from: a, to: b });
    await runSql(b.url, "SELECT platform_set_tenant($1, 2, 'moved', 'c', '')", [tenantId]);
    await expect(moveTenant({ tenantId, from: a, to: b })).rejects.toMatchObject({ reason: "claimed" });
    expect([(await statesOf(a)).get(tenantId), (await statesOf(b)).get(tenantId)]).toEqual(["moved", "moved"]);
  });

  it("loses no acknowledged write, and none twice, while several processes write", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const others = await Promise.all([openStorage({ url: a.url, cell }), openStorage({ url: b.url, cell })]);
    const acknowledged = new Set<string>();
    let stopped = false;
    let current = a.storage;
    const write = async (name: string) => {
      for (let number = 0; !stopped; ) {
        const id = `${name}-${number}`;
        const storage = number % 2 === 0 ? current : (others[current === a.storage ? 0 : 1] ?? current);
        await createFixture(storage)
          .put(itemRef(id), "x", 0)
          .then(
            ({ outcome }) => {
              expect(outcome.ok).toBe(true);
              acknowledged.add(id);
              number += 1;
            },
            () => {},
          );
        // As many writes as the copy can keep up with.
        await setTimeout(20);
      }
    };
    const writers = Array.from({ length: 6 }, (_, index) => write(`writer-${index}`));
    for (const [from, to] of [
      [a, b],
      [b, a],
      [a, b],
    ] as const) {
      await setTimeout(100);
      await moveTenant({ tenantId, from, to });
      current = to.storage;
      await setTimeout(250);
    }
    stopped = true;
    await Promise.all(writers);
    const stored: string[] = [];
    for (let after = 0, more = true; more; ) {
      const page = await b.storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: after, limit: 500 });
      stored.push(...page.items.map(({ itemId }) => itemId));
      after = page.items.at(-1)?.sequence ?? after;
      more = page.hasMore;
    }
    expect(stored.filter((id) => id.startsWith("writer")).sort()).toEqual([...acknowledged].sort());
    expect(acknowledged.size).toBeGreaterThan(50);
    expect(await differencesOf(b.storage)).toEqual([]);
    await verifyAll(b.storage);
  });

  it("refuses a tenant that is not served, that both cells serve, or that arrives from a third one", async () => {
    const { a, b } = await createCells();
    const reasonOf = (error: unknown) => (error instanceof MoveTenantError ? error.reason : error);
    await expect(moveTenant({ tenantId: "nobody", from: a, to: b }).catch(reasonOf)).resolves.toBe("not_served");
    await b.assignments.assign(tenantId);
    await expect(moveTenant({ tenantId, from: a, to: b }).catch(reasonOf)).resolves.toBe("claimed");
    await runSql(b.url, "SELECT platform_set_tenant($1, 1, 'arriving', 'c', '')", [tenantId]);
    await expect(moveTenant({ tenantId, from: a, to: b }).catch(reasonOf)).resolves.toBe("claimed");
  });

  it("removes what a tenant has left behind, and only that", async () => {
    const { a, b } = await createCells();
    await fill(a);
    await expect(removeMovedTenant({ tenantId, from: a, others: [b] })).rejects.toMatchObject({ reason: "not_moved" });
    await moveTenant({ tenantId, from: a, to: b });
    const before = await contentsOf(b.storage);
    expect(await removeMovedTenant({ tenantId, from: a, others: [b] })).toBeGreaterThan(100);
    expect((await a.assignments.list()).find((each) => each.tenantId === tenantId)).toMatchObject({
      ...{ state: "moved", peer: "b", vaults: 0, items: 0, records: 0 },
    });
    await expect(removeMovedTenant({ tenantId, from: b, others: [a] })).rejects.toMatchObject({ reason: "not_moved" });
    expect(await differencesOf(a.storage)).toEqual([]);
    await verifyAll(a.storage);
    // A process of the cell that has acknowledged changes of the tenant does not take their removal for an older database.
    expect(await lostChangeOf(a)).toBeUndefined();
    expect(await lostChangeOf(a, "neighbour")).toMatchObject({ sequence: 1 });
    await moveTenant({
      ...{ tenantId, from: b, to: a },
      onStep: async () => expect(await lostChangeOf(a)).toBeUndefined(),
    });
    await setTimeout(250);
    expect(await contentsOf(a.storage)).toEqual(before);
    await verifyAll(a.storage);
  });

  it("keeps the seals to which the trail of the cell is linked when it removes a tenant that came, wrote and left", async () => {
    const { a, b } = await createCells();
    await fill(a);
    await moveTenant({ tenantId, from: a, to: b });
    await b.put(itemRef("item-9"), "in b", 1);
    await b.storage.sealAudit(10_000);
    await moveTenant({ tenantId, from: b, to: a });
    await removeMovedTenant({ tenantId, from: b, others: [a] });
    for (const { storage } of [a, b]) expect(await differencesOf(storage)).toEqual([]);
    await verifyAll(b.storage);
    await moveTenant({ tenantId, from: a, to: b });
    for (const { storage } of [a, b]) expect(await differencesOf(storage)).toEqual([]);
  });

  it("removes nothing while no other cell serves the tenant, or once it comes back", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const remove = () => removeMovedTenant({ tenantId, from: a, others: [b] });
    const interrupt = (step: MoveStep) => {
      if (step === "handed over") throw new Error("killed");
    };
    await expect(moveTenant({ tenantId, from: a, to: b, onStep: interrupt })).rejects.toThrow("killed");
    await expect(remove()).rejects.toMatchObject({ reason: "not_served" });
    await moveTenant({ tenantId, from: a, to: b });
    const before = await contentsOf(b.storage);
    await moveTenant({
      ...{ tenantId, from: b, to: a },
      onStep: (step) =>
        step === "serving" ? undefined : expect(remove()).rejects.toMatchObject({ reason: "not_moved" }),
    });
    await setTimeout(250);
    expect(await contentsOf(a.storage)).toEqual(before);
  });

  it("removes nothing more once the tenant begins to come back", async () => {
    const { a, b } = await createCells();
    await fill(a);
    await moveTenant({ tenantId, from: a, to: b });
    const [{ vaults } = { vaults: 0 }] = await a.assignments.list();
    const other = new pg.Client({ connectionString: a.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN");
    await other.query("SELECT platform_set_tenant($1, 3, 'arriving', 'b', 'm')", [tenantId]);
    const removal = removeMovedTenant({ tenantId, from: a, others: [b] });
    await expect
      .poll(() =>
        runSql(
          a.url,
          "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        ),
      )
      .not.toHaveLength(0);
    await other.query("COMMIT");
    await expect(removal).rejects.toMatchObject({ reason: "claimed" });
    expect(await a.assignments.list()).toMatchObject([{ tenantId, vaults, state: "arriving" }]);
  });

  it("refuses a cell that was last used with other keys: it could not read the contents", async () => {
    const { a, b } = await createCells();
    for (const [{ write }, keysId] of [
      [a, "one"],
      [b, "two"],
    ] as const) {
      const value = JSON.stringify({ keysId });
      const installation = { tenantId: "-", collection: "keys", key: "-", principalId: "", oauthClientId: "", value };
      await write({ kind: "record", record: { ...installation, revision: 1, createdAt: 0, expiresAt: undefined } });
    }
    await expect(moveTenant({ tenantId, from: a, to: b })).rejects.toMatchObject({ reason: "other_keys" });
    expect(await statesOf(a)).toEqual(new Map([[tenantId, "serving"]]));
  });

  it("is not taken for damage while it arrives", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const onStep = () => verifyAll(b.storage);
    await moveTenant({ tenantId, from: a, to: b, onStep });
    await runSql(b.url, "DELETE FROM contents WHERE item_id = 'item-1'");
    await expect(verifyAll(b.storage)).rejects.toMatchObject({ reason: "damaged" });
  });

  it("takes the places of its grants along, and the revocations of other issuers' tokens", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const record = (collection: string, key: string, of: string) => {
      const value = JSON.stringify({ tenantId: of });
      const installation = { tenantId: "-", collection, key, principalId: "", oauthClientId: "", value };
      return { kind: "record", record: { ...installation, revision: 1, createdAt: 0, expiresAt: undefined } } as const;
    };
    await a.write(record("grant-place", "own", tenantId), record("grant-place", "of another", "neighbour"));
    await a.write(record("revocation", "foreign", "-"), record("bound-keys", "-", "-"));
    await b.write(record("revocation", "known there", "-"));
    await moveTenant({ tenantId, from: a, to: b });
    const found = await runSql(b.url, "SELECT key FROM records WHERE tenant_id = '-' ORDER BY key");
    expect(found.map(({ key }) => key)).toEqual(["foreign", "known there", "own"]);
  });

  it("does not move the neighbours, nor what they have", async () => {
    const { a, b } = await createCells();
    const vault = { tenantId: "neighbour", vaultId: "vault-1", retentionDays: 30, accessRevision: 0 };
    await b.storage.transact(refOf(), commitWrites([{ kind: "vault", vault }]));
    await fill(a);
    await moveTenant({ tenantId, from: a, to: b });
    expect((await statesOf(b)).get("neighbour")).toBe("serving");
    expect(await runSql(b.url, "SELECT vault_id FROM vaults WHERE tenant_id = 'neighbour'")).toHaveLength(1);
  });
});

describe("cancelMove", () => {
  it.each(["copying", "paused", "compared"] as const)(
    "ends a move that has reached the step %j: the old cell serves on, the mover fails, and another cell can get the tenant",
    async (at) => {
      const { a, b } = await createCells();
      await fill(a);
      const cancel = async (step: MoveStep) => {
        if (step === at) await cancelMove({ tenantId, from: a, to: b });
      };
      await expect(moveTenant({ tenantId, from: a, to: b, onStep: cancel })).rejects.toMatchObject({
        reason: "claimed",
      });
      expect([(await statesOf(a)).get(tenantId), (await statesOf(b)).get(tenantId)]).toEqual(["serving", "moved"]);
      await a.put(itemRef("item-7"), "after", 1);
      const before = await contentsOf(a.storage);
      await removeMovedTenant({ tenantId, from: b, others: [a] });
      // A third cell would move it to the second one like this.
      await moveTenant({ tenantId, from: { ...a, name: "c" }, to: b });
      await setTimeout(250);
      expect(await contentsOf(b.storage)).toEqual(before);
      await verifyAll(b.storage);
    },
  );

  it("lets the old cell serve on if the new one cannot be reached, and is finished by the same call later", async () => {
    const { a, b } = await createCells();
    await runSql(b.url, "SELECT platform_set_tenant($1, 0, 'arriving', 'a', 'm')", [tenantId]);
    await runSql(a.url, "SELECT platform_set_tenant($1, 1, 'paused', 'b', 'm')", [tenantId]);
    const unreachable = { name: "b", url: "postgres://nobody@127.0.0.1:1/b" };
    await expect(cancelMove({ tenantId, from: a, to: unreachable })).rejects.toMatchObject({ reason: "unreachable" });
    expect(await statesOf(a)).toEqual(new Map([[tenantId, "serving"]]));
    await cancelMove({ tenantId, from: a, to: b });
    expect((await statesOf(b)).get(tenantId)).toBe("moved");
  });

  it("refuses a move that has handed the tenant over, and one that is not under way", async () => {
    const { a, b } = await createCells();
    const reject = (step: MoveStep) => {
      if (step === "handed over") throw new Error("killed");
    };
    await expect(cancelMove({ tenantId, from: a, to: b })).rejects.toMatchObject({ reason: "not_moving" });
    await expect(moveTenant({ tenantId, from: a, to: b, onStep: reject })).rejects.toThrow("killed");
    await expect(cancelMove({ tenantId, from: a, to: b })).rejects.toMatchObject({
      ...{ reason: "not_moving", message: expect.stringContaining("has handed the tenant") },
    });
    await moveTenant({ tenantId, from: a, to: b });
    await expect(cancelMove({ tenantId, from: a, to: b })).rejects.toMatchObject({ reason: "not_moving" });
    expect((await statesOf(b)).get(tenantId)).toBe("serving");
  });
});
