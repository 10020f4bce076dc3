import { describe, expect, it } from "vitest";
import { beginPostgresEpoch } from "../../../../src/storage/postgres/begin-epoch.js";
import { openPostgresCell } from "../../../../src/storage/postgres/cell.js";
import { openPostgresHistory } from "../../../../src/storage/postgres/database/open-history.js";
import { MoveTenantError } from "../../../../src/storage/postgres/move/assignment.js";
import { cancelMove } from "../../../../src/storage/postgres/move/cancel-move.js";
import { giveUpTenant } from "../../../../src/storage/postgres/move/give-up-tenant.js";
import { type MoveStep, moveTenant } from "../../../../src/storage/postgres/move/move-tenant.js";
import { removeMovedTenant } from "../../../../src/storage/postgres/move/remove-moved-tenant.js";
import { createTestDatabase, runSql } from "../../../../src/storage/postgres/testing/test-database.js";
import { createFixture, itemRef, principalId, tenantId } from "../../../../src/testing/storage-suite/fixture.js";
import { openStorage } from "../testing/open-storages.js";
import {
  type Cell,
  contentsOf,
  createCells,
  createThreeCells,
  differencesOf,
  fill,
  statesIn,
  statesOf,
  verifyAll,
} from "./testing/cells.js";

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
    expect(await statesIn(a, b)).toEqual(["moved", "serving"]);

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
    expect(await contentsOf(a.storage)).toEqual(before);
    await a.put(itemRef("item-6"), "in a", 1);
    await moveTenant({ tenantId, from: a, to: b });
    expect((await contentsOf(b.storage)).audit.rows).toHaveLength(before.audit.rows.length + 1);
    for (const { storage } of [a, b]) {
      expect(await differencesOf(storage)).toEqual([]);
      await verifyAll(storage);
    }
  });

  it("continues after an interruption at every step, and at most one cell serves", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const before = await contentsOf(a.storage);
    for (const at of ["copying", "paused", "compared", "handed over", "serving"]) {
      const onStep = (step: MoveStep) => {
        if (step === at) throw new Error("killed");
      };
      await expect(moveTenant({ tenantId, from: a, to: b, onStep }), at).rejects.toThrow("killed");
      const served = await statesIn(a, b);
      expect(served.filter((state) => state === "serving")).toHaveLength(at === "handed over" ? 0 : 1);
    }
    await moveTenant({ tenantId, from: a, to: b });
    expect(await contentsOf(b.storage)).toEqual(before);
    expect(await statesIn(a, b)).toEqual(["moved", "serving"]);
  });

  it("serves again if the new cell can no longer be reached when an interrupted move is started again", async () => {
    const { a, b } = await createCells();
    await runSql(b.url, "SELECT platform_set_tenant($1, 0, 'arriving', 'a')", [tenantId]);
    await runSql(a.url, "SELECT platform_set_tenant($1, 1, 'paused', 'b')", [tenantId]);
    const unreachable = { name: "b", url: "postgres://nobody@127.0.0.1:1/b" };
    await expect(moveTenant({ tenantId, from: a, to: unreachable })).rejects.toMatchObject({
      ...{ reason: "unreachable", message: expect.stringMatching(/^The database of the cell b cannot be reached: ./) },
    });
    expect(await statesOf(a)).toEqual(new Map([[tenantId, "serving"]]));
    await moveTenant({ tenantId, from: a, to: b });
  });

  it("does not give a tenant back to a cell that it has left since, when an old command is run again", async () => {
    const { a, b } = await createCells();
    await fill(a);
    await moveTenant({ tenantId, from: a, to: b });
    await runSql(b.url, "SELECT platform_set_tenant($1, 2, 'moved', 'c')", [tenantId]);
    await expect(moveTenant({ tenantId, from: a, to: b })).rejects.toMatchObject({ reason: "claimed" });
    expect(await statesIn(a, b)).toEqual(["moved", "moved"]);
  });

  it("refuses a tenant that is not served, that both cells serve, or that arrives from a third one", async () => {
    const { a, b } = await createCells();
    const reasonOf = (error: unknown) => (error instanceof MoveTenantError ? error.reason : error);
    await expect(moveTenant({ tenantId: "nobody", from: a, to: b }).catch(reasonOf)).resolves.toBe("not_served");
    await b.assignments.assign(tenantId);
    await expect(moveTenant({ tenantId, from: a, to: b }).catch(reasonOf)).resolves.toBe("claimed");
    await runSql(b.url, "SELECT platform_set_tenant($1, 1, 'arriving', 'c')", [tenantId]);
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
    const onStep = () => expect(remove()).rejects.toMatchObject({ reason: "claimed" });
    await moveTenant({ tenantId, from: b, to: a, onStep });
    await expect(remove()).rejects.toMatchObject({ reason: "not_moved" });
    expect(await contentsOf(a.storage)).toEqual(before);
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
});

describe("cancelMove", () => {
  it("gives up a move that was interrupted at any step before the hand-over, and another cell can get the tenant", async () => {
    const { a, b } = await createCells();
    await fill(a);
    for (const at of ["copying", "paused", "compared"]) {
      const ending = new AbortController();
      const onStep = (step: MoveStep) => {
        if (step === at) ending.abort();
      };
      const move = moveTenant({ tenantId, from: a, to: b, onStep, signal: ending.signal });
      await expect(move, at).rejects.toThrow("aborted");
      expect(await statesIn(a, b)).toEqual(["serving", "arriving"]);
      await cancelMove({ tenantId, from: a, to: b });
      expect(await statesIn(a, b)).toEqual(["serving", "moved"]);
      expect((await a.put(itemRef(`after ${at}`), "after", 0)).outcome.ok).toBe(true);
      await removeMovedTenant({ tenantId, from: b, others: [a] });
    }
    const before = await contentsOf(a.storage);
    // A third cell would move it to the second one like this.
    await moveTenant({ tenantId, from: { ...a, name: "c" }, to: b });
    expect(await contentsOf(b.storage)).toEqual(before);
    await verifyAll(b.storage);
  });

  it("does not end a move any more that has handed the tenant over", async () => {
    const { a, b } = await createCells();
    const ending = new AbortController();
    const onStep = (step: MoveStep) => {
      if (step === "handed over") ending.abort();
    };
    await moveTenant({ tenantId, from: a, to: b, onStep, signal: ending.signal });
    expect(await statesIn(a, b)).toEqual(["moved", "serving"]);
  });

  it("lets the old cell serve on if the new one cannot be reached, and is finished by the same call later", async () => {
    const { a, b } = await createCells();
    await runSql(b.url, "SELECT platform_set_tenant($1, 0, 'arriving', 'a')", [tenantId]);
    await runSql(a.url, "SELECT platform_set_tenant($1, 1, 'paused', 'b')", [tenantId]);
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

describe("two commands at the same time", () => {
  it.each(["copying", "handed over"] as const)(
    "while a move is at the step %j, no other command works on the tenant, whatever its cells",
    async (at) => {
      const { a, b, c } = await createThreeCells();
      await fill(a);
      const others = {
        "the same move": () => moveTenant({ tenantId, from: a, to: b }),
        "its cancellation": () => cancelMove({ tenantId, from: a, to: b }),
        "a move to a third cell": () => moveTenant({ tenantId, from: a, to: c }),
        "a move of what has arrived": () => moveTenant({ tenantId, from: b, to: c }),
        "a move from a third cell": () => moveTenant({ tenantId, from: c, to: b }),
        "a removal": () => removeMovedTenant({ tenantId, from: a, others: [b] }),
        "giving up": () => giveUpTenant({ tenantId, from: a, to: b }),
      };
      const onStep = async (step: MoveStep) => {
        if (step !== at) return;
        const refused = { reason: "claimed", message: expect.stringMatching(/^Another command works on/) };
        const starts = Object.entries(others);
        await Promise.all(starts.map(([what, start]) => expect(start(), what).rejects.toMatchObject(refused)));
      };
      const before = await contentsOf(a.storage);
      await moveTenant({ tenantId, from: a, to: b, onStep });
      expect(await contentsOf(b.storage)).toEqual(before);
      expect(await statesIn(a, b, c)).toEqual(["moved", "serving", undefined]);
    },
  );

  it("a command whose connections were ended lets another one work, and changes nothing more", async () => {
    const { a, b, c } = await createThreeCells();
    await fill(a);
    const elsewhere = async (step: MoveStep) => {
      if (step !== "compared") return;
      const end = `
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'platform move-tenant'`;
      for (const { url } of [a, b]) await runSql(url, end);
      await cancelMove({ tenantId, from: a, to: b });
      await moveTenant({ tenantId, from: a, to: c });
    };
    await expect(moveTenant({ tenantId, from: a, to: b, onStep: elsewhere })).rejects.toThrow();
    expect(await statesIn(a, b, c)).toEqual(["moved", "moved", "serving"]);
    await verifyAll(c.storage);
  });
});

describe("a database that processes without CELL use", () => {
  it("becomes no cell, neither by an assignment nor by a move", async () => {
    const { a } = await createCells();
    await fill(a);
    const url = await createTestDatabase();
    const storage = await openStorage({ url });
    await createFixture(storage).createVault("vault-1");
    const assignments = await openPostgresCell({ url });
    await expect(assignments.assign("other")).rejects.toThrow("Processes without CELL use the PostgreSQL database");
    await expect(moveTenant({ tenantId, from: a, to: { name: "b", url } })).rejects.toMatchObject({
      reason: "unusable",
    });
    await storage.close();
    expect(await assignments.assign("other")).toBe(true);
    await assignments.close();
  });
});

describe("a cell that was restored to a point before a tenant left", () => {
  it("gives the tenant up to the cell that serves it", async () => {
    const { a, b } = await createCells();
    await fill(a);
    await moveTenant({ tenantId, from: a, to: b });
    await runSql(a.url, "SELECT platform_set_tenant($1, 3, 'serving', '')", [tenantId]);
    await giveUpTenant({ tenantId, from: a, to: b });
    expect(await statesIn(a, b)).toEqual(["moved", "serving"]);
    await expect(giveUpTenant({ tenantId, from: b, to: a })).rejects.toMatchObject({ reason: "not_served" });
    await expect(a.storage.listVaults({ tenantId, principalId, limit: 1 })).rejects.toMatchObject({
      reason: "not_served",
    });
  });

  it("begins a new epoch for what it serves, and the tenants that have left can come back", async () => {
    const { a, b } = await createCells();
    await fill(a);
    await moveTenant({ tenantId, from: a, to: b });
    await a.storage.close();
    await beginPostgresEpoch({ url: a.url, now: Date.now() });
    await moveTenant({ tenantId, from: b, to: a });
    expect(await statesIn(a, b)).toEqual(["serving", "moved"]);
  });
});
