import type { DatabaseSync } from "node:sqlite";
import type { ItemStatus } from "../../../domain/item.js";
import { flag } from "../columns.js";
import type { Position, VaultRow } from "./vaults.js";

/** The history of every vault, and the outbox of the platform: append-only, in the order of commits, without content. */
export function createChanges(database: DatabaseSync) {
  const insert = database.prepare(
    "INSERT INTO changes (vault, sequence, item, version, state, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const selectKnown = database.prepare(
    "SELECT EXISTS (SELECT 1 FROM changes WHERE vault = ? AND sequence = ?) AS known",
  );

  return {
    /**
     * Whether the history of a vault has come to a position. A restored backup skips positions, which may have been given out
     * in a history that is lost: those below the floor are known by their changes.
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
