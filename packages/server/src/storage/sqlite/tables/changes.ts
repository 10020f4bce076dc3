import type { DatabaseSync } from "node:sqlite";
import type { ItemStatus } from "../../../domain/item.js";
import { flag } from "../columns.js";
import type { Position, VaultRow } from "./vaults.js";

/** The history of every vault and the outbox of the platform: append-only, in commit order, without content. */
export function createChanges(database: DatabaseSync) {
  const insert = database.prepare(
    "INSERT INTO changes (vault, sequence, item, version, state, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const selectKnown = database.prepare(
    "SELECT EXISTS (SELECT 1 FROM changes WHERE vault = ? AND sequence = ?) AS known",
  );

  return {
    /**
     * Returns whether the history of a vault contains a position. A restored backup skips positions that may have been assigned
     * in a lost history, so below the floor only positions with a change count.
     */
    reached({ id, head, floor }: VaultRow, sequence: number): boolean {
      if (sequence === 0 || sequence >= floor) return sequence <= head;
      return flag(selectKnown.get(id, sequence) ?? {}, "known");
    },

    /** Appends a change of the item with this row id. */
    append({ vault, sequence }: Position, item: number, { version, state, updatedAt }: ItemStatus): void {
      insert.run(vault, sequence, item, version, state, updatedAt);
    },
  };
}
