import { type KeptStore, keptInBrowser } from "../editing/kept-store.js";
import { openText, type SealedText, sealText } from "../editing/sealed-text.js";
import type { Skipped } from "../import-formats/format.js";

/** The import of a person that is running, or that they have not closed yet. It survives a reload, so that they can undo it. */
export interface ImportRecord {
  readonly vaultId: string;
  /** The ids of all new items that were to be imported. Some may not be stored. */
  readonly itemIds: readonly string[];
  /** ISO 8601. */
  readonly startedAt: string;
  /** Undefined without the key that encrypted it. */
  readonly list: ImportList | undefined;
}

interface ImportList {
  /** The titles of the items, in the order of their ids. */
  readonly titles: readonly string[];
  /** What was skipped before anything was sent. */
  readonly skipped: readonly Skipped[];
  /** The titles of stored items to which something was to be added. To undo the import does not change them. */
  readonly changed: readonly string[];
}

/** A record as the browser keeps it. Only ids and the time are not encrypted. */
export interface KeptImport extends Omit<ImportRecord, "list"> {
  readonly sealedList: SealedText;
}

const browserImports = keptInBrowser<KeptImport>("platform-vault-imports", "imports");

export function createImportJournal(principalId: string, store: KeptStore<KeptImport> = browserImports) {
  const labelOf = ({ vaultId, startedAt }: Omit<ImportRecord, "list">) =>
    ["platform vault: import", 1, principalId, vaultId, startedAt] as const;
  return {
    /** @throws Error if the browser stores nothing: the import could not be undone after a reload */
    async keep(key: CryptoKey, { list, ...record }: ImportRecord & { readonly list: ImportList }): Promise<void> {
      const sealedList = await sealText(
        key,
        labelOf(record),
        JSON.stringify([list.titles, list.skipped, list.changed]),
      );
      await store.put(principalId, { ...record, sealedList });
    },
    /** @param key undefined if the person's keys are locked */
    async read(key: CryptoKey | undefined): Promise<ImportRecord | undefined> {
      const kept = await store.get(principalId).catch(() => undefined);
      if (kept === undefined) return undefined;
      const { sealedList, ...record } = kept;
      const text = key && (await openText(key, labelOf(record), sealedList));
      return { ...record, list: text === undefined ? undefined : readList(text) };
    },
    forget: () => store.remove(principalId).catch(() => undefined),
  };
}

function readList(text: string): ImportList {
  const [titles, skipped, changed = []]: [readonly string[], readonly Skipped[], (readonly string[])?] =
    JSON.parse(text);
  return { titles, skipped, changed };
}
