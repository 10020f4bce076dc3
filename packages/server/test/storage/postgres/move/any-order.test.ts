import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import pg from "pg";
import { expect, it, vi } from "vitest";
import { refOf } from "../../../../src/ports/storage.js";
import { cancelMove } from "../../../../src/storage/postgres/move/cancel-move.js";
import { moveTenant } from "../../../../src/storage/postgres/move/move-tenant.js";
import { removeMovedTenant } from "../../../../src/storage/postgres/move/remove-moved-tenant.js";
import { runSql } from "../../../../src/storage/postgres/testing/test-database.js";
import { commitWrites } from "../../../../src/testing/storage-suite/rules.js";
import { type Cell, createThreeCells, differencesOf, verifyAll } from "./testing/cells.js";

/** A command that runs as far as the test lets it. */
interface Running {
  /** How many of its statements may begin. */
  allowed: number;
  killed: boolean;
  ended: boolean;
  /** Called when it waits for the next statement, and when it has ended. */
  onStop: () => void;
  /** Lets it look again whether it may go on. */
  wake: () => void;
}

const running = new AsyncLocalStorage<Running>();

/** The statements before which a command can be stopped or killed. */
const isStop = (statement: string) =>
  /SELECT state|platform_set_tenant|INSERT INTO|DELETE FROM|BEGIN|COMMIT/.test(statement);

/** Lets every statement of a command of the test wait until it may begin. */
function stopStatements(): void {
  const query: (this: pg.Client, ...args: unknown[]) => unknown = pg.Client.prototype.query;
  const waitFor = async (command: Running, statement: string) => {
    if (!isStop(statement) || command.killed) return;
    while (command.allowed === 0 && !command.killed) {
      const woken = new Promise<void>((resolve) => {
        command.wake = resolve;
      });
      command.onStop();
      await woken;
    }
    command.allowed -= 1;
  };
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const command = running.getStore();
    if (command === undefined) return query.apply(this, args);
    return waitFor(command, JSON.stringify(args[0])).then(() => {
      if (command.killed) throw new Error("killed");
      return query.apply(this, args);
    });
  });
}

function start(command: () => Promise<unknown>): Running {
  const started: Running = { allowed: 0, killed: false, ended: false, onStop() {}, wake() {} };
  const end = () => {
    started.ended = true;
    started.onStop();
  };
  running.run(started, () => void command().then(end, end));
  return started;
}

/** Lets a command begin some statements. Resolves when it waits again, has ended, or waits for another command. */
async function goOn(command: Running, statements: number): Promise<void> {
  if (command.ended) return;
  const stopped = new Promise<void>((resolve) => {
    command.onStop = resolve;
  });
  command.allowed = statements;
  command.wake();
  await Promise.race([stopped, setTimeout(300)]);
}

async function kill(command: Running): Promise<void> {
  command.killed = true;
  await goOn(command, 0);
}

type Step =
  | { readonly kind: "move" | "cancel" | "remove"; readonly from: number | "home"; readonly further: number }
  | { readonly kind: "go on"; readonly command: number; readonly statements: number }
  | { readonly kind: "kill"; readonly command: number }
  | { readonly kind: "write"; readonly item: number };

const stepOf = <Kind extends Step>(weight: number, arbitrary: fc.Arbitrary<Kind>) => ({ weight, arbitrary });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    stepOf(
      8,
      fc.record({
        kind: fc.constantFrom("move" as const, "move", "move", "move", "cancel", "remove"),
        from: fc.constantFrom<number | "home">(0, 1, 2, "home", "home", "home"),
        further: fc.integer({ min: 1, max: 2 }),
      }),
    ),
    stepOf(
      12,
      fc.record({
        kind: fc.constant("go on" as const),
        command: fc.nat(),
        statements: fc.constantFrom(1, 2, 3, 5, 10, 20, 40, 1_000, 1_000, 1_000),
      }),
    ),
    stepOf(1, fc.record({ kind: fc.constant("kill" as const), command: fc.nat() })),
    stepOf(4, fc.record({ kind: fc.constant("write" as const), item: fc.nat({ max: 3 }) })),
  ),
  { minLength: 50, maxLength: 80 },
);

/** Creates a tenant in the first cell, and remembers which of its writes were acknowledged. */
async function createTenant(cells: readonly [Cell, Cell, Cell], tenantId: string) {
  const [home] = cells;
  await home.assignments.assign(tenantId);
  const vault = { tenantId, vaultId: "vault-1", retentionDays: 30, accessRevision: 0 };
  await home.storage.transact(refOf(), commitWrites([{ kind: "vault", vault }]));
  const versions = new Map<string, number>();
  /** Items of which it is unknown whether a change was stored. */
  const unknown = new Set<string>();

  const states = () =>
    Promise.all(
      cells.map(async (cell) => {
        const sql = "SELECT state, peer FROM tenants WHERE tenant_id = $1";
        const [{ state, peer } = {}] = await runSql(cell.url, sql, [tenantId]);
        return { cell, state, peer: cells.find(({ name }) => name === peer) };
      }),
    );
  const servingNow = async () => (await states()).filter(({ state }) => state === "serving" || state === "paused");
  const serving = async () => {
    const found = await servingNow();
    if (found.length <= 1) return found[0];
    // A command that still runs may hand the tenant over after one cell was read, and before another. A cell that served all the time does so still.
    const still = (await servingNow()).filter(({ cell }) => found.some((before) => before.cell === cell));
    expect(still.length, "cells that serve the tenant").toBeLessThanOrEqual(1);
    return still[0];
  };
  return {
    serving,
    async write(item: number): Promise<void> {
      const itemId = `item-${item}`;
      const at = await serving();
      if (at === undefined || unknown.has(itemId)) return;
      const version = versions.get(itemId) ?? 0;
      await at.cell.put({ tenantId, vaultId: "vault-1", itemId }, `${item} ${version}`, version).then(
        ({ outcome }) => {
          expect(outcome.ok, "whether the newest version is known").toBe(true);
          versions.set(itemId, version + 1);
        },
        ({ reason }: { readonly reason: string }) => {
          expect(["not_served", "paused", "contended", "unavailable"]).toContain(reason);
          if (reason === "contended" || reason === "unavailable") unknown.add(itemId);
        },
      );
    },
    /** Does what the operators do: they continue or cancel what is not finished, until a cell serves. */
    async recover(): Promise<void> {
      for (let tries = 0; tries < 3 && (await serving())?.state !== "serving"; tries += 1) {
        for (const { cell: from, state, peer: to } of await states()) {
          if (to === undefined || (state !== "moved" && state !== "paused")) continue;
          await moveTenant({ tenantId, from, to }).catch(() => cancelMove({ tenantId, from, to }).catch(() => {}));
        }
      }
    },
    async expectAcknowledged(): Promise<void> {
      const at = await serving();
      expect(at?.state, "the state of the tenant in the end").toBe("serving");
      const sql = `
        SELECT item_id AS "itemId", version::integer AS version FROM items
          JOIN contents USING (tenant_id, vault_id, item_id) JOIN content_keys USING (tenant_id, vault_id, item_id)
        WHERE tenant_id = $1 ORDER BY item_id`;
      const stored = await runSql(at?.cell.url ?? "", sql, [tenantId]);
      const known = (itemId: unknown) => typeof itemId === "string" && !unknown.has(itemId);
      expect(stored.filter(({ itemId }) => known(itemId))).toEqual(
        [...versions]
          .filter(([itemId]) => known(itemId))
          .sort()
          .map(([itemId, version]) => ({ itemId, version })),
      );
    },
  };
}

const { MOVE_RUNS } = process.env;
/** By default, always the same commands in the same order. With MOVE_RUNS, other ones in each run. */
const parameters = MOVE_RUNS === undefined ? { numRuns: 3, seed: 1 } : { numRuns: Number(MOVE_RUNS) };

it("commands that are stopped before any statement, killed and run again leave one cell that serves what was acknowledged", async () => {
  stopStatements();
  const { a, b, c } = await createThreeCells();
  const cells = [a, b, c] as const;
  let [runs, finished] = [0, 0];
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      runs += 1;
      const tenantId = `tenant-of-run-${runs}`;
      const tenant = await createTenant(cells, tenantId);
      const commands: Running[] = [];
      const commandOf = (number: number) => {
        const open = commands.filter(({ ended }) => !ended);
        return open[number % open.length];
      };
      for (const each of all) {
        if (each.kind === "write") await tenant.write(each.item);
        else if (each.kind === "go on" || each.kind === "kill") {
          const command = commandOf(each.command);
          if (command === undefined) continue;
          await (each.kind === "kill" ? kill(command) : goOn(command, each.statements));
          await tenant.serving();
        } else if (commands.filter(({ ended }) => !ended).length < 3) {
          const home = (await tenant.serving())?.cell ?? a;
          const from = each.from === "home" ? home : (cells[each.from] ?? a);
          const to = cells[(cells.indexOf(from) + each.further) % 3] ?? a;
          const others = cells.filter((cell) => cell !== from);
          const command = {
            move: () => moveTenant({ tenantId, from, to }),
            cancel: () => cancelMove({ tenantId, from, to }),
            remove: () => removeMovedTenant({ tenantId, from, others }),
          };
          commands.push(start(command[each.kind]));
        }
      }
      for (const command of commands) {
        for (let tries = 0; tries < 50 && !command.ended; tries += 1) await goOn(command, 10_000);
        expect(command.ended, "whether a command ends").toBe(true);
        if (!command.killed) finished += 1;
        await tenant.serving();
      }
      await tenant.recover();
      await tenant.expectAcknowledged();
    }),
    { ...parameters, endOnFailure: true },
  );
  for (const { storage } of cells) {
    await verifyAll(storage);
    expect(await differencesOf(storage)).toEqual([]);
  }
  // Guards against a property whose commands never get far.
  expect(finished).toBeGreaterThan(parameters.numRuns);
});
