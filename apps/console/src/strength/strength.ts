import { startWorker, trustedScript } from "../elements/worker-calls.js";
import type { Strength } from "./measure.js";
import workerUrl from "./strength.worker.ts?worker&url";

/** The least score of a password that is not weak. */
export const leastScore = 3;

const script = trustedScript("vault-strength", workerUrl);

const start = () => startWorker(script, async (password: string) => (await import("./measure.js")).measure(password));

let worker: ReturnType<typeof start> | undefined;

const known = new Map<string, Promise<Strength>>();

const mostKnown = 20_000;

/** Estimates how hard a password is to guess, in a worker: the page stays responsive. */
export function strengthOf(password: string): Promise<Strength> {
  const found = known.get(password);
  if (found !== undefined) return found;
  if (known.size >= mostKnown) known.clear();
  worker ??= start();
  const measured = worker.call(password);
  known.set(password, measured);
  return measured;
}
