import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AppProcess, createAppProcess } from "../app/app-process.ts";
import { createEngine, type EngineName } from "../engine/create-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { writeHistory } from "../history/history-file.ts";
import { openJournal, readJournals } from "../history/journal.ts";
import { enough } from "../history/successes.ts";
import type { Fault } from "../inject/fault.ts";
import { createAdmin, prepareLoad, readFinalState } from "../load/admin.ts";
import type { Target } from "../load/plan.ts";
import { createRandom } from "../load/random.ts";
import { startClients } from "../load/start-clients.ts";
import { type FaultResult, figuresOf, outcomesOf } from "../report/report.ts";
import { verify } from "../verify/verify.ts";

export interface RunOptions {
  readonly engine: EngineName;
  readonly processes: number;
  readonly short: boolean;
  readonly seed: number;
  readonly keep: boolean;
}

/** Runs the app under load, injects a fault, and checks what clients saw against what is stored. */
export async function runFault(fault: Fault, options: RunOptions): Promise<FaultResult> {
  const folder = mkdtempSync(join(tmpdir(), "platform-faults-"));
  const result = await runIn(folder, fault, options).catch((error: unknown) => ({
    figures: [],
    violations: [`The run failed: ${error instanceof Error ? error.stack : error}`],
  }));
  if (result.violations.length > 0 || options.keep) return { ...result, folder };
  rmSync(folder, { recursive: true });
  return { ...result, folder: undefined };
}

async function runIn(folder: string, fault: Fault, options: RunOptions): Promise<Omit<FaultResult, "folder">> {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await createEngine(options.engine, folder, fault.database?.(folder) ?? {}));
  const apps = await startApps(folder, fault, { engine, processes: options.processes, stack });
  const targets = await leadTo(apps, engine);
  const admin = createAdmin(targets, createRandom(options.seed));
  await prepareLoad(admin);

  const journals = join(folder, "journals");
  mkdirSync(journals);
  const startedAt = performance.now();
  const { short, seed } = options;
  const { callsPerSecond } = fault;
  const load = { processes: short ? 1 : 4, clients: 8, calls: fault.calls?.[short ? "short" : "full"], callsPerSecond };
  const own = join(journals, "fault.jsonl");
  const journal = openJournal(own);
  const clients = startClients(load, { targets, folder: journals, seed });
  stack.defer(clients.kill);
  const { advance } = clients;
  const injected = fault.inject({ engine, apps, random: createRandom(seed), advance, admin, journal, short });
  // A client that fails ends the run, even while the fault is injected.
  const figures = await Promise.race([injected, clients.ended.then(() => injected)]);
  await (load.calls === undefined ? clients.stop() : clients.ended);
  const seconds = (performance.now() - startedAt) / 1000;

  await readFinalState(admin, journal);
  journal.close();
  for (const app of apps) await app.stop();
  const calls = await readJournals([...clients.journals, own]);
  const judgement = fault.judge?.(calls);
  const history = {
    title: `${fault.title} (${options.engine}, seed ${seed})`,
    options: {
      clockMoves: fault.clockMoves ?? false,
      minimum: enough,
      losesUntil: fault.losesUntil?.() ?? 0,
    },
    calls,
    stored: await engine.readStored(),
  };
  await writeHistory(join(folder, "history.jsonl"), history);
  const verdict = verify(calls, history.stored, history.options);
  return {
    violations: [...verdict.violations, ...(judgement?.violations ?? [])],
    figures: [
      ...figures,
      ...(judgement?.figures ?? []),
      ...outcomesOf(calls),
      ["duration of the load", `${seconds.toFixed(1)} s, ${Math.round(calls.length / seconds)} calls/s`],
      ...figuresOf(verdict),
    ],
  };
}

type Targets = readonly [Target, ...Target[]];

/** Returns where callers reach the processes: through the router, if there is one. */
async function leadTo([first, ...others]: Apps, { cells }: Engine): Promise<Targets> {
  const own: Targets = [first.target, ...others.map(({ target }) => target)];
  if (cells === undefined) return own;
  const [led = first.target, ...more] = await cells.lead(own);
  return [led, ...more];
}

type Apps = readonly [AppProcess, ...AppProcess[]];

async function startApps(
  folder: string,
  fault: Fault,
  {
    engine,
    processes,
    stack,
  }: { readonly engine: Engine; readonly processes: number; readonly stack: AsyncDisposableStack },
): Promise<Apps> {
  const dataDir = join(folder, "app-0/data");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const settings = fault.setUp?.(dataDir, stack);
  const start = async (index: number) => {
    const environment = { ...engine.environmentOf(index), ...settings };
    const app = await createAppProcess(join(folder, `app-${index}`), environment);
    stack.defer(app.kill);
    await app.start();
    return app;
  };
  const first = await start(0);
  return [first, ...(await Promise.all(Array.from({ length: processes - 1 }, (_, index) => start(index + 1))))];
}
