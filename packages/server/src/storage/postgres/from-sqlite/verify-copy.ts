import { StorageError } from "../../../ports/storage.js";
import type { ContentCipher } from "../content-cipher.js";
import { digestOf, type PlainRow } from "./copied-table.js";
import { copiedTables } from "./copied-tables.js";
import { DataCopyError } from "./data-copy-error.js";
import type { Source } from "./source.js";
import type { Target } from "./target.js";
import { createVaultCheck } from "./vault-check.js";

/** The number of rows and the sum of their digests, which does not depend on their order. */
interface Sum {
  rows: number;
  digest: bigint;
}

/**
 * Compares every row of both databases in plain, and checks that the sequences of each vault have no gap.
 *
 * @returns the number of rows of each table.
 * @throws DataCopyError
 */
export async function verifyCopy(
  source: Source,
  target: Target,
  cipher: ContentCipher,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const vaults = createVaultCheck();
  for (const table of copiedTables) {
    const expected: Sum = { rows: 0, digest: 0n };
    const found: Sum = { rows: 0, digest: 0n };
    for (const { plain } of source.rows(table)) add(expected, plain);
    try {
      for await (const row of target.rows(table, cipher)) {
        add(found, row);
        vaults.add(table.name, row);
      }
    } catch (error) {
      throw error instanceof StorageError
        ? mismatch(`a content in the table ${table.name} cannot be decrypted`, error)
        : error;
    }
    if (found.rows !== expected.rows) {
      throw mismatch(`the table ${table.name} has ${found.rows} rows instead of ${expected.rows}`);
    }
    if (found.digest !== expected.digest) throw mismatch(`rows of the table ${table.name} differ`);
    counts[table.name] = found.rows;
  }
  const gap = vaults.findGap();
  if (gap !== undefined) throw mismatch(`the sequences of the vault ${gap} have a gap, also in the source`);
  return counts;
}

function add(sum: Sum, row: PlainRow): void {
  sum.rows += 1;
  sum.digest = BigInt.asUintN(256, sum.digest + digestOf(row));
}

function mismatch(what: string, cause?: unknown): DataCopyError {
  return new DataCopyError(
    "mismatch",
    `The copy is not usable: ${what}. Do not start the platform on it. Create a new database, and copy to that one.`,
    { cause },
  );
}
