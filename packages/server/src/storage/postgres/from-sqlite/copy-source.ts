import type { ContentCipher } from "../content-cipher.js";
import type { PlainRow } from "./copied-table.js";
import { copiedTables } from "./copied-tables.js";
import type { Source } from "./source.js";
import type { Target } from "./target.js";
import { verifyCopy } from "./verify-copy.js";

/** The size at which a batch ends, in characters of its rows as JSON. */
const batchSize = 4_000_000;

/**
 * Copies all rows of a source to empty tables, and compares every row.
 *
 * @returns the number of rows of each table.
 * @throws DataCopyError
 */
export async function copySource(
  source: Source,
  target: Target,
  cipher: ContentCipher,
): Promise<Readonly<Record<string, number>>> {
  for (const table of copiedTables) {
    let batch = new Map<string, PlainRow[]>();
    let size = 0;
    for (const { inserts } of source.rows(table)) {
      for (const [name, row] of Object.entries(inserts(cipher))) {
        const rows = batch.get(name) ?? [];
        rows.push(row);
        batch.set(name, rows);
        // The long columns are texts.
        for (const value of Object.values(row)) size += typeof value === "string" ? value.length : 8;
      }
      if (size < batchSize) continue;
      await target.insert(batch);
      batch = new Map();
      size = 0;
    }
    await target.insert(batch);
  }
  source.verify();
  return await verifyCopy(source, target, cipher);
}
