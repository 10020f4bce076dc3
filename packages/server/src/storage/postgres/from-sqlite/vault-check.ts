import type { PlainRow } from "./copied-table.js";

/** The sequences of a vault. */
interface Sequences {
  readonly floor: number;
  readonly head: number;
  /** How many changes have a sequence above the floor. */
  count: number;
  /** Whether one of them has a sequence above the head. */
  beyond: boolean;
}

/** Checks that the changes of each vault have every sequence from its floor to its head. Sequences are unique by their key. */
export function createVaultCheck() {
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

    /** Returns a vault with a gap. */
    findGap(): string | undefined {
      return [...vaults].find(([, { floor, head, count, beyond }]) => beyond || count !== head - floor)?.[0];
    },
  };
}
