import { StorageError } from "../../../ports/storage.js";
import type { ContentCipher } from "../content-cipher.js";
import { digestOf, type PlainRow } from "./copied-table.js";
import { copiedTables } from "./copied-tables.js";
import { DataCopyError } from "./data-copy-error.js";
import type { Source } from "./source.js";
import type { Target } from "./target.js";

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
  try {
    await target.verify();
  } catch (error) {
    throw error instanceof StorageError ? mismatch("it contains damaged rows", error) : error;
  }
  return counts;
}

function add(sum: Sum, row: PlainRow): void {
  sum.rows += 1;
  sum.digest = BigInt.asUintN(256, sum.digest + digestOf(row));
}

function mismatch(what: string, cause?: unknown): DataCopyError {
  return new DataCopyError(
    "mismatch",
    `The copy does not agree with the source: ${what}. Nothing was stored. Run the same command again; if the message stays, report it.`,
    { cause },
  );
}

interface Sequences {
  readonly floor: number;
  readonly head: number;
  /** How many changes have a sequence above the floor. */
  count: number;
  /** Whether one of them has a sequence above the head. */
  beyond: boolean;
}

/** Checks that the changes of each vault have every sequence from its floor to its head. Sequences are unique by their key. */
function createVaultCheck() {
  const vaults = new Map<string, Sequences>();
  const idOf = ({ tenant_id, vault_id }: PlainRow) => `${tenant_id}/${vault_id}`;

  return {
    /** Adds a row: first those of `vaults`, then those of `changes`. Ignores other tables. */
    add(table: string, row: PlainRow): void {
      const { sequence, floor } = row;
      if (table === "vaults")
        vaults.set(idOf(row), { floor: Number(floor), head: Number(sequence), count: 0, beyond: false });
      if (table !== "changes") return;
      const vault = vaults.get(idOf(row));
      if (vault === undefined || Number(sequence) <= vault.floor) return;
      vault.count += 1;
      vault.beyond ||= Number(sequence) > vault.head;
    },

    findGap(): string | undefined {
      return [...vaults].find(([, { floor, head, count, beyond }]) => beyond || count !== head - floor)?.[0];
    },
  };
}
