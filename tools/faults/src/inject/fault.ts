import { setTimeout } from "node:timers/promises";
import type { AppProcess } from "../app/app-process.ts";
import type { CellsControl, Engine, EngineOptions, PostgresControl } from "../engine/engine.ts";
import type { Journal, RecordedCall } from "../history/journal.ts";
import type { Admin } from "../load/admin.ts";
import type { Target } from "../load/plan.ts";
import type { Random } from "../load/random.ts";
import type { Figure } from "../report/report.ts";

export interface FaultContext {
  readonly engine: Engine;
  readonly apps: readonly [AppProcess, ...AppProcess[]];
  readonly random: Random;
  /** Resolves once the clients have made about this many more calls: a fault should hit a load, also on a slow machine. */
  readonly advance: (calls: number) => Promise<void>;
  readonly admin: Admin;
  readonly journal: Journal;
  /** Whether this is the short form, for CI. */
  readonly short: boolean;
}

export interface Judgement {
  readonly figures: readonly Figure[];
  readonly violations: readonly string[];
}

export interface Fault {
  readonly title: string;
  readonly engines: readonly Engine["name"][];
  /**
   * Prepares the data folder of the first process before it starts, and returns settings of the app. What it defers runs at the
   * end of the run. Default: no preparation.
   */
  readonly setUp?: (dataDir: string, stack: AsyncDisposableStack) => Readonly<Record<string, string>>;
  /** Returns what the fault needs of the database of a run, in a folder. Default: nothing. */
  readonly database?: (folder: string) => EngineOptions;
  /** Returns what this machine lacks for the fault, and what to do about it. Default: nothing. */
  readonly missing?: (engine: Engine["name"]) => string | undefined;
  /** Whether the fault sets the clock of the app. Default: false. */
  readonly clockMoves?: boolean;
  /** The number of calls after which the load ends. Default: it ends when the fault was injected and repaired. */
  readonly calls?: { readonly full: number; readonly short: number };
  /** Returns the time until which acknowledged calls are lost, as in journals. Only later calls are checked. Default: none are lost. */
  readonly losesUntil?: () => number;
  /** The rate of the load. Default: as fast as possible. */
  readonly callsPerSecond?: number;
  /** Injects the fault, and repairs it. The app must run again at the end. Returns what was measured. */
  readonly inject: (context: FaultContext) => Promise<readonly Figure[]>;
  /** Judges the calls after the checks of every run. Default: no more figures. */
  readonly judge?: (calls: readonly RecordedCall[]) => Judgement;
}

/** Returns the control of the PostgreSQL server. @throws on another engine. */
export function postgresOf({ name, postgres }: Engine): PostgresControl {
  if (postgres === undefined) throw new Error(`The engine ${name} has no server.`);
  return postgres;
}

/** Returns the two cells. @throws on another engine. */
export function cellsOf({ name, cells }: Engine): CellsControl {
  if (cells === undefined) throw new Error(`The engine ${name} has no cells.`);
  return cells;
}

const patienceMs = 60_000;

/** Returns what a process says of itself, such as `ok` or `database replaced`. Undefined: it does not answer. */
export async function readinessOf({ publicUrl }: Target): Promise<unknown> {
  try {
    const response = await fetch(`${publicUrl}/readyz`, { signal: AbortSignal.timeout(5_000) });
    const { status }: { readonly status?: unknown } = JSON.parse(await response.text());
    return status;
  } catch {
    return undefined;
  }
}

export async function isReady(target: Target): Promise<boolean> {
  return (await readinessOf(target)) === "ok";
}

/** Waits until a condition is true. Returns the milliseconds it took. @throws after a minute. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > patienceMs)
      throw new Error("The app did not reach the expected state in a minute.");
    await setTimeout(20);
  }
  return performance.now() - startedAt;
}

/** Waits until all processes of the app are ready. Returns the milliseconds it took. */
export function waitUntilReady(apps: readonly { readonly target: Target }[]): Promise<number> {
  return waitUntil(async () => (await Promise.all(apps.map(({ target }) => isReady(target)))).every(Boolean));
}

export function describeJumps(jumps: readonly number[]): string {
  return jumps.map((minutes) => (minutes === 0 ? "back to the true time" : `${minutes} min`)).join(", ");
}
