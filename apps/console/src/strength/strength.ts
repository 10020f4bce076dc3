import type { Strength } from "./measure.js";
import workerUrl from "./strength.worker.ts?worker&url";
import type { MeasuredPassword, PasswordToMeasure } from "./strength-messages.js";

/** The least score of a password that is not weak. */
export const leastScore = 3;

/** The security policy of the page requires it for the URL of a worker. It admits no script but this one. */
const policy = globalThis.trustedTypes?.createPolicy("vault-strength", { createScriptURL: () => workerUrl });

const known = new Map<string, Promise<Strength>>();

/** How many estimates are remembered. */
const mostKnown = 20_000;

let ask: ((password: string) => Promise<Strength>) | undefined;

/** Estimates how hard a password is to guess, in a worker: the page stays responsive. */
export function strengthOf(password: string): Promise<Strength> {
  const found = known.get(password);
  if (found !== undefined) return found;
  if (known.size >= mostKnown) known.clear();
  ask ??= startWorker();
  const measured = ask(password);
  known.set(password, measured);
  return measured;
}

function startWorker(): (password: string) => Promise<Strength> {
  const waiting = new Map<
    number,
    { readonly password: string; resolve(strength: Strength | Promise<Strength>): void }
  >();
  let last = 0;
  let failed = false;
  const inPage = async (password: string) => (await import("./measure.js")).measure(password);
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: "module" });
  worker.onmessage = ({ data: { id, strength } }: MessageEvent<MeasuredPassword>) => {
    waiting.get(id)?.resolve(strength);
    waiting.delete(id);
  };
  // Its script could not be loaded: the server may have another version of it now.
  worker.onerror = () => {
    failed = true;
    for (const { password, resolve } of waiting.values()) resolve(inPage(password));
    waiting.clear();
  };
  return (password) => {
    if (failed) return inPage(password);
    last += 1;
    const id = last;
    return new Promise((resolve) => {
      waiting.set(id, { password, resolve });
      const message: PasswordToMeasure = { id, password };
      worker.postMessage(message);
    });
  };
}
