import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";

/**
 * The import of a person that is running, or that they have not closed yet. It survives a reload, so that they can undo it. It has ids
 * only: nothing of what the file contains.
 */
export interface ImportRecord {
  readonly vaultId: string;
  /** The ids of all items that were to be imported. Some may not be stored. */
  readonly itemIds: readonly string[];
  /** ISO 8601. */
  readonly startedAt: string;
}

const kept = createBrowserStore("platform-vault-imports", "imports");

/** Keeps the import. @throws Error if the browser stores nothing: it could not be undone after a reload */
export async function keepImport(principalId: string, record: ImportRecord): Promise<void> {
  await kept.use("readwrite", (store) => store.put(record, principalId));
}

export async function keptImport(principalId: string): Promise<ImportRecord | undefined> {
  return kept.use<ImportRecord | undefined>("readonly", (store) => store.get(principalId)).catch(() => undefined);
}

export async function forgetImport(principalId: string): Promise<void> {
  await kept.use("readwrite", (store) => store.delete(principalId)).catch(() => undefined);
}
