import { setTimeout } from "node:timers/promises";
import { installedHaproxy } from "@platform-rpc/testbed/haproxy";
import type { RunningProgram } from "@platform-rpc/testbed/processes";
import type { Cell, CellsControl } from "../engine/engine.ts";
import { createAdmin, createVault, readVault } from "../load/admin.ts";
import { createItemWith } from "../load/items.ts";
import { type Figure, milliseconds } from "../report/report.ts";
import { cellsOf, type Fault, type FaultContext, waitUntilReady } from "./fault.ts";

const missing = () =>
  installedHaproxy.missing
    ? "HAProxy was not found. Install Debian's package haproxy, or set HAPROXY_PATH."
    : undefined;

const largeVault = "large";
const createdAtOnce = 32;

export const moveLargeTenant: Fault = {
  title: "a tenant moves to another cell and back, at 200 calls/s",
  engines: ["postgres"],
  database: () => ({ server: "cells" }),
  missing,
  callsPerSecond: 200,
  async inject({ engine, apps, admin, journal, random, advance, short }) {
    const cells = cellsOf(engine);
    const [count, rounds, restMs] = short ? [200, 1, 500] : [100_000, 4, 20_000];
    const served = createAdmin([apps[0].target], random);
    await createVault(served, largeVault, 30);
    const create = createItemWith({ admin: served, journal });
    const left = Array.from({ length: count }, (_, index) => `item-${index}`);
    const createAll = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await create(largeVault, next);
    };
    await Promise.all(Array.from({ length: createdAtOnce }, createAll));

    const [took, paused]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      await setTimeout(restMs);
      const startedAt = performance.now();
      paused.push(await moveOnce(cells, round));
      took.push(performance.now() - startedAt);
      await advance(100);
    }
    await readVault(largeVault, { admin, journal });
    return [
      ["items of the tenant, besides those of the load", count],
      ["moves", rounds],
      ["  each took", took.map(milliseconds).join(", ")],
      ["  writes were paused for", paused.map(milliseconds).join(", ")],
    ];
  },
};

/** What fails while a tenant moves. Each is repaired at once. */
const injuries = {
  "nothing else": () => undefined,
  "kill -9 of the command": async ({ mover }) => void (await mover.stop("SIGKILL")),
  "kill -9 of a process of the old cell": ({ from, context }) => killProcess(from, context),
  "kill -9 of a process of the new cell": ({ to, context }) => killProcess(to, context),
  "kill -9 of PostgreSQL of the old cell": ({ from }) => restart(from.postgres),
  "kill -9 of PostgreSQL of the new cell": ({ to }) => restart(to.postgres),
  "kill -9 of HAProxy": ({ cells }) => restart(cells.router()),
  "a full disk in the new cell": ({ to }) => fillFor(to),
} satisfies Record<string, (injured: Injured) => unknown>;

interface Injured {
  readonly mover: RunningProgram;
  readonly from: Cell;
  readonly to: Cell;
  readonly cells: CellsControl;
  readonly context: FaultContext;
}

export const killWhileMoving: Fault = {
  title: "a tenant moves to another cell and back, while everything else is killed",
  engines: ["postgres"],
  database: () => ({ server: "cells", smallDisk: true }),
  missing: () => missing() ?? (process.getuid?.() === 0 ? undefined : "Only root can mount the disks of the cells."),
  async inject(context) {
    const { engine, apps, advance, random, short } = context;
    const cells = cellsOf(engine);
    const rounds = short ? 3 : 50;
    const kinds = Object.entries(injuries);
    const started = new Map<string, number>();
    const durations: number[] = [];
    let usual = 2_000;
    for (let round = 0; round < rounds; round += 1) {
      await advance(100);
      const [from, to] = cellsOfRound(cells, round);
      const [kind, injure] = kinds[round % kinds.length] ?? ["", () => undefined];
      const begunAt = performance.now();
      const mover = cells.move(from, to);
      if (kind !== "nothing else") await setTimeout(random.below(usual));
      await injure({ mover, from, to, cells, context });
      const starts = await startUntilDone(() => cells.move(from, to), mover);
      if (kind === "nothing else") usual = performance.now() - begunAt;
      started.set(kind, Math.max(started.get(kind) ?? 0, starts));
      durations.push(performance.now() - begunAt);
      await waitUntilReady(apps);
      if (random.chance(0.5)) await startUntilDone(() => cells.removeMoved(from));
    }
    await advance(100);
    return [
      ["moves", rounds],
      ["  longest, with its repair", milliseconds(Math.max(...durations))],
      ["  most starts of the command", ""],
      ...[...started].map(([kind, starts]): Figure => [`    ${kind}`, starts]),
    ];
  },
};

function cellsOfRound({ both: [a, b] }: CellsControl, round: number): readonly [Cell, Cell] {
  return round % 2 === 0 ? [a, b] : [b, a];
}

/** Moves the tenant without a fault. Returns for how long its writes were paused, in milliseconds. */
async function moveOnce(cells: CellsControl, round: number): Promise<number> {
  const mover = cells.move(...cellsOfRound(cells, round));
  if ((await mover.ended) !== 0) throw new Error(`The tenant was not moved: ${mover.out()}${mover.err()}`);
  return Number(/paused for (\d+) ms/.exec(mover.out())?.[1]);
}

const mostStarts = 50;

/** Starts a command again until it succeeds. Returns how often it was started. @throws when it does not succeed */
async function startUntilDone(start: () => RunningProgram, first = start()): Promise<number> {
  let program = first;
  let starts = 1;
  for (; (await program.ended) !== 0; starts += 1) {
    if (starts === mostStarts) throw new Error(`The command failed ${starts} times: ${program.out()}${program.err()}`);
    await setTimeout(200);
    program = start();
  }
  return starts;
}

async function killProcess({ name }: Cell, { engine, apps, random }: FaultContext): Promise<void> {
  const own = apps.filter((_, index) => cellsOf(engine).cellOf(index).name === name);
  const app = own[random.below(own.length)] ?? apps[0];
  await app.kill();
  await app.start();
}

async function restart(server: { readonly kill: () => Promise<void>; readonly start: () => unknown }): Promise<void> {
  await server.kill();
  await setTimeout(300);
  await server.start();
}

async function fillFor({ disk, postgres }: Cell): Promise<void> {
  if (disk === undefined) throw new Error("The cell has no disk that can be filled.");
  disk.fill(0);
  await setTimeout(1_000);
  disk.free(0);
  // PostgreSQL ends if it cannot write its WAL.
  await postgres.start();
}
