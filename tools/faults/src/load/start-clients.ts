import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type RunningProgram, startProgram } from "@platform-rpc/testbed/processes";
import type { Plan } from "./plan.ts";

const program = fileURLToPath(new URL("./client.ts", import.meta.url));

/** The size of a call in a journal, on average. */
const bytesPerCall = 400;
const patienceMs = 120_000;

interface Load {
  readonly processes: number;
  /** The number of clients in all processes together. */
  readonly clients: number;
  /** As in a plan, for all processes together. */
  readonly calls?: number | undefined;
  readonly callsPerSecond?: number | undefined;
}

export interface RunningClients {
  readonly journals: readonly string[];
  /** Resolves when all have made their calls. @throws when one ends with an error. */
  readonly ended: Promise<void>;
  /** Resolves once the clients have made about this many more calls. @throws when they do not within two minutes. */
  advance(calls: number): Promise<void>;
  stop(): Promise<void>;
  kill(): void;
}

export function startClients(
  load: Load,
  { targets, folder, seed }: { readonly targets: Plan["targets"]; readonly folder: string; readonly seed: number },
): RunningClients {
  const share = (total: number | undefined) => total && Math.ceil(total / load.processes);
  const plans = Array.from(
    { length: load.processes },
    (_, index): Plan => ({
      targets,
      journal: join(folder, `client-${index}.jsonl`),
      seed: seed + index,
      clients: Math.ceil(load.clients / load.processes),
      calls: share(load.calls),
      callsPerSecond: share(load.callsPerSecond),
    }),
  );
  const children = plans.map(run);
  const ended = Promise.all(children.map(endOf)).then(() => undefined);
  const journals = plans.map(({ journal }) => journal);
  const recorded = () =>
    journals.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  return {
    journals,
    ended,
    async advance(calls) {
      const from = recorded();
      const endsAt = performance.now() + patienceMs;
      while (recorded() - from < calls * bytesPerCall) {
        if (performance.now() > endsAt) throw new Error(`The clients did not make ${calls} calls in two minutes.`);
        await setTimeout(10);
      }
    },
    kill() {
      for (const child of children) child.signal("SIGKILL");
    },
    stop() {
      for (const child of children) child.signal("SIGTERM");
      return ended;
    },
  };
}

function run(plan: Plan): RunningProgram {
  return startProgram([process.execPath, program, JSON.stringify(plan)], { stderr: "inherit" });
}

async function endOf(child: RunningProgram): Promise<void> {
  const code = await child.ended;
  if (code !== 0) throw new Error(`A client process ended with ${code ?? "a signal"}. Its error is above.`);
}
