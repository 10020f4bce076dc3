import type { ContentCipher } from "../content-cipher.js";
import type { PlainRow } from "./copied-table.js";
import { copiedTables } from "./copied-tables.js";
import type { Source } from "./source.js";
import type { CopyProgress, Target } from "./target.js";

export interface CopyRowsOptions {
  readonly source: Source;
  readonly target: Target;
  readonly cipher: ContentCipher;
  /** How far an interrupted copy got. */
  readonly begun: CopyProgress | undefined;
  readonly batchRows?: number;
  readonly onProgress?: (rows: number) => void;
}

/** The size at which a batch ends, in characters of its rows as JSON. */
const batchSize = 4_000_000;

/** Copies all rows that are not in the target yet, in batches. Returns the progress after the last one. */
export async function copyRows(options: CopyRowsOptions): Promise<CopyProgress> {
  const { source, target, cipher, begun, batchRows = 1000, onProgress } = options;
  let progress: CopyProgress = begun ?? { source: source.fingerprint, rows: {} };
  // Claims the empty target before the first row.
  if (begun === undefined) await target.write(new Map(), progress);
  const names = copiedTables.map(({ name }) => name);
  const first = progress.table === undefined ? 0 : names.indexOf(progress.table);

  for (const table of copiedTables.slice(first)) {
    const after = table.name === progress.table ? progress.after : undefined;
    let batch = createBatch();
    const flush = async () => {
      await target.write(batch.inserts, progress);
      batch = createBatch();
      onProgress?.(Object.values(progress.rows).reduce((sum, rows) => sum + rows, 0));
    };
    for (const { key, inserts } of source.rows(table, after)) {
      batch.add(inserts(cipher));
      const rows = { ...progress.rows, [table.name]: (progress.rows[table.name] ?? 0) + 1 };
      progress = { ...progress, rows, table: table.name, after: key };
      if (batch.rows >= batchRows || batch.size >= batchSize) await flush();
    }
    if (batch.rows > 0) await flush();
  }
  return progress;
}

function createBatch() {
  const inserts = new Map<string, PlainRow[]>();
  let rows = 0;
  let size = 0;
  return {
    inserts: inserts as ReadonlyMap<string, readonly PlainRow[]>,
    get rows() {
      return rows;
    },
    get size() {
      return size;
    },
    add(row: Readonly<Record<string, PlainRow>>): void {
      rows += 1;
      for (const [table, columns] of Object.entries(row)) {
        const list = inserts.get(table) ?? [];
        list.push(columns);
        inserts.set(table, list);
        // The long columns are texts.
        for (const value of Object.values(columns)) size += typeof value === "string" ? value.length : 8;
      }
    },
  };
}
