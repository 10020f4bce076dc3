import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import type { Sealer } from "../editing/seal-written.js";
import type { ReadOptions } from "../import-formats/format.js";
import type { ReadImport } from "../import-formats/read-import.js";
import workerUrl from "./import.worker.ts?worker&url";
import type { ImportResult, ImportTask, SealedItem } from "./import-tasks.js";

/** The security policy of the page requires it for the URL of a worker. It admits no script but this one. */
const policy = globalThis.trustedTypes?.createPolicy("vault-import", { createScriptURL: () => workerUrl });

interface Waiting {
  readonly task: ImportTask;
  resolve(result: ImportResult): void;
}

let worker: Worker | undefined;
let failed = false;
let last = 0;
const waiting = new Map<number, Waiting>();

/** Reads a file in the worker, or in the page if the browser cannot start it. */
export async function readFile(file: Blob, options: ReadOptions): Promise<ReadImport> {
  const { read, failed: message = "" } = await run({ task: "read", file, options });
  return read ?? { outcome: "failed", message, needsPassword: false };
}

export async function sealItems(sealer: Sealer, items: readonly WrittenItem[]): Promise<readonly SealedItem[]> {
  const { sealed, failed: message } = await run({ task: "seal", sealer, items });
  if (sealed === undefined) throw new Error(message);
  return sealed;
}

/** Ends what the worker does: a key can take long to derive. Its promises never settle. */
export function stopReading(): void {
  worker?.terminate();
  worker = undefined;
  waiting.clear();
}

function run(task: ImportTask): Promise<ImportResult> {
  last += 1;
  const id = last;
  return new Promise((resolve) => {
    if (failed) {
      void inPage({ task, resolve });
      return;
    }
    waiting.set(id, { task, resolve });
    worker ??= startWorker();
    worker.postMessage({ id, task });
  });
}

function startWorker(): Worker {
  const started = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: "module" });
  started.onmessage = ({
    data: { id, result },
  }: MessageEvent<{ readonly id: number; readonly result: ImportResult }>) => {
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  };
  // Its script could not be loaded: the server may have another version of it now.
  started.onerror = () => {
    failed = true;
    for (const one of waiting.values()) void inPage(one);
    waiting.clear();
  };
  return started;
}

async function inPage({ task, resolve }: Waiting): Promise<void> {
  const { doTask } = await import("./import-tasks.js");
  resolve(await doTask(task));
}
