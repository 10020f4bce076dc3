import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import { type Sealer, sealWritten } from "../editing/seal-written.js";
import type { ReadOptions } from "../import-formats/format.js";
import { type ReadImport, readImport } from "../import-formats/read-import.js";

/** What the worker does. Everything in it can be sent: keys are handles, which cannot be exported. */
export type ImportTask =
  | { readonly task: "read"; readonly file: Blob; readonly options: ReadOptions }
  | { readonly task: "seal"; readonly sealer: Sealer; readonly items: readonly WrittenItem[] };

/** An item as the request contains it. */
export type SealedItem = Awaited<ReturnType<typeof sealWritten>>;

export type ImportResult =
  | { readonly read: ReadImport; readonly sealed?: never; readonly failed?: never }
  | { readonly sealed: readonly SealedItem[]; readonly read?: never; readonly failed?: never }
  | { readonly failed: string; readonly read?: never; readonly sealed?: never };

/** Does a task. Never rejects. */
export async function doTask(task: ImportTask): Promise<ImportResult> {
  try {
    if (task.task === "seal") {
      return { sealed: await Promise.all(task.items.map((item) => sealWritten(task.sealer, item))) };
    }
    return { read: await readImport(new Uint8Array(await task.file.arrayBuffer()), task.options) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : "The file cannot be read. Choose it again." };
  }
}
