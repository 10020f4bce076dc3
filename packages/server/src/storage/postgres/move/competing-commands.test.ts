import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { createFixture, itemRef, principalId, tenantId } from "../../../testing/storage-suite/fixture.js";
import { beginPostgresEpoch } from "../begin-epoch.js";
import { openPostgresCell } from "../cell.js";
import { openStorage } from "../testing/open-storages.js";
import { createTestDatabase, runSql } from "../testing/test-database.js";
import { cancelMove } from "./cancel-move.js";
import { giveUpTenant } from "./give-up-tenant.js";
import { type MoveStep, moveTenant } from "./move-tenant.js";
import { removeMovedTenant } from "./remove-moved-tenant.js";
import { type Cell, createCells, fill, recordOf, statesOf, verifyAll } from "./testing/cells.js";

/** The state of the tenant in each cell. */
async function statesIn(...cells: readonly Cell[]) {
  return (await Promise.all(cells.map(statesOf))).map((states) => states.get(tenantId));
}

/** Changes an item and adds a record in the cell that serves the tenant now. */
async function acknowledge(cell: Cell): Promise<void> {
  // A process notices within this time that it serves the tenant.
  await setTimeout(250);
  expect((await cell.put(itemRef("item-0"), "acknowledged", 1)).outcome.ok).toBe(true);
  await cell.write(recordOf("acknowledged", 1));
}

/** Checks that a cell has what `acknowledge` has written. */
async function expectAcknowledged({ url, storage }: Cell): Promise<void> {
  const versions =
    "SELECT version::integer AS version FROM items WHERE tenant_id = $1 AND vault_id = 'vault-1' AND item_id = 'item-0'";
  expect(await runSql(url, versions, [tenantId])).toEqual([{ version: 2 }]);
  expect(await runSql(url, "SELECT key FROM records WHERE tenant_id = $1 ORDER BY key", [tenantId])).toEqual(
    ["acknowledged", "one", "two"].map((key) => ({ key })),
  );
  await verifyAll(storage);
}

/** Runs `work` at a step of a move from the first cell to the second, and returns how that move ended. */
async function during(step: MoveStep, [a, b]: readonly [Cell, Cell], work: () => Promise<unknown>): Promise<string> {
  const onStep = async (at: MoveStep) => {
    if (at === step) await work();
  };
  return moveTenant({ tenantId, from: a, to: b, onStep }).then(
    () => "moved",
    ({ reason }: { readonly reason: string }) => reason,
  );
}

/** A move that is killed at a step. */
const killed = (step: MoveStep, cells: readonly [Cell, Cell]) =>
  during(step, cells, () => Promise.reject(new Error("killed"))).catch(() => {});

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Stops the next statement in a database that contains a text. */
function stopNext({ url }: Cell, text: string) {
  const [arrival, release] = [createGate(), createGate()];
  const query: (this: pg.Client, ...args: unknown[]) => unknown = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(async function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const isNext = this.database === new URL(url).pathname.slice(1) && JSON.stringify(args[0]).includes(text);
    if (isNext) {
      spy.mockRestore();
      arrival.open();
      await release.opened;
    }
    return query.apply(this, args);
  });
  return { reached: arrival.opened, go: release.open };
}

describe("two commands at the same time", () => {
  it.each([
    ["copying", "claimed"],
    ["paused", "claimed"],
    ["compared", "claimed"],
  ] as const)(
    "a mover that has reached the step %j writes nothing more once the same command has moved the tenant",
    async (step, reason) => {
      const { a, b } = await createCells();
      await fill(a);
      const again = async () => {
        await moveTenant({ tenantId, from: a, to: b });
        await acknowledge(b);
      };
      expect(await during(step, [a, b], again)).toBe(reason);
      expect(await statesIn(a, b)).toEqual(["moved", "serving"]);
      await expectAcknowledged(b);
    },
  );

  it("a slow mover does not copy what was removed in the old cell after the same command had moved the tenant", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const again = async () => {
      await moveTenant({ tenantId, from: a, to: b });
      await removeMovedTenant({ tenantId, from: a, others: [b] });
      await acknowledge(b);
    };
    expect(await during("copying", [a, b], again)).toBe("claimed");
    await expectAcknowledged(b);
  });

  it("a cancelled mover writes nothing more, also when the tenant comes to its cell from a third one", async () => {
    const { a, b, c } = await createCells();
    await fill(a);
    const elsewhere = async () => {
      await cancelMove({ tenantId, from: a, to: b });
      await moveTenant({ tenantId, from: a, to: c });
      await moveTenant({ tenantId, from: c, to: b });
      await acknowledge(b);
    };
    expect(await during("copying", [a, b], elsewhere)).toBe("claimed");
    await expectAcknowledged(b);
  });

  it("a mover that is slow after the hand-over lets no second cell serve: the tenant has moved on", async () => {
    const { a, b, c } = await createCells();
    await fill(a);
    const on = async () => {
      await moveTenant({ tenantId, from: a, to: b });
      await moveTenant({ tenantId, from: b, to: c });
    };
    expect(await during("handed over", [a, b], on)).toBe("claimed");
    expect(await statesIn(a, b, c)).toEqual(["moved", "moved", "serving"]);
  });

  it("a mover that is slow after the hand-over lets no second cell serve: the tenant is back, and moves again", async () => {
    const { a, b } = await createCells();
    await fill(a);
    const back = async () => {
      await moveTenant({ tenantId, from: a, to: b });
      await moveTenant({ tenantId, from: b, to: a });
      await killed("copying", [a, b]);
    };
    expect(await during("handed over", [a, b], back)).toBe("claimed");
    expect(await statesIn(a, b)).toEqual(["serving", "arriving"]);
  });

  it("a mover that is slow between its first reads does not wait for a tenant that has moved on", async () => {
    const { a, b, c } = await createCells();
    await fill(a);
    const { reached, go } = stopNext(a, "SELECT state");
    const slow = moveTenant({ tenantId, from: a, to: b });
    await reached;
    await moveTenant({ tenantId, from: a, to: b });
    await moveTenant({ tenantId, from: b, to: c });
    go();
    await expect(slow).rejects.toMatchObject({ reason: "claimed" });
    await expect(moveTenant({ tenantId, from: a, to: b })).rejects.toMatchObject({ reason: "claimed" });
    expect(await statesIn(a, b, c)).toEqual(["moved", "moved", "serving"]);
  });

  it("a cancellation that is slow between its reads does not end a later move, which has handed the tenant over", async () => {
    const { a, b, c } = await createCells();
    await fill(a);
    await killed("copying", [a, b]);
    await moveTenant({ tenantId, from: a, to: c });
    const { reached, go } = stopNext(a, "SELECT state");
    const slow = cancelMove({ tenantId, from: a, to: b });
    await reached;
    await moveTenant({ tenantId, from: c, to: a });
    await killed("handed over", [a, b]);
    go();
    await expect(slow).rejects.toMatchObject({ reason: "not_moving" });
    await moveTenant({ tenantId, from: a, to: b });
    expect(await statesIn(a, b, c)).toEqual(["moved", "serving", "moved"]);
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
    await runSql(a.url, "SELECT platform_set_tenant($1, 3, 'serving', '', '')", [tenantId]);
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
