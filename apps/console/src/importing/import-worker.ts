import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import type { Sealer } from "../editing/seal-written.js";
import { startWorker, trustedScript } from "../elements/worker-calls.js";
import type { ReadOptions } from "../import-formats/format.js";
import type { ReadImport } from "../import-formats/read-import.js";
import workerUrl from "./import.worker.ts?worker&url";
import type { ImportResult, ImportTask, SealedItem } from "./import-tasks.js";

const script = trustedScript("vault-import", workerUrl);

const start = () =>
  startWorker<ImportTask, ImportResult>(script, async (task) => (await import("./import-tasks.js")).doTask(task));

let worker: ReturnType<typeof start> | undefined;

function run(task: ImportTask): Promise<ImportResult> {
  worker ??= start();
  return worker.call(task);
}

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
  worker?.stop();
  worker = undefined;
}
