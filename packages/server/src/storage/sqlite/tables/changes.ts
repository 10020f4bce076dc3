import type { DatabaseSync } from "node:sqlite";
import type { ItemStatus } from "../../../domain/item.js";
import type { Position } from "./vaults.js";

/** The history of every vault, and the outbox of the platform: append-only, in the order of commits, without content. */
export function createChanges(database: DatabaseSync) {
  const insert = database.prepare(
    "INSERT INTO changes (vault, sequence, item, version, state, at) VALUES (?, ?, ?, ?, ?, ?)",
  );

  return {
    /** Appends a change of the item with this row id. */
    append({ vault, sequence }: Position, item: number, { version, state, updatedAt }: ItemStatus): void {
      insert.run(vault, sequence, item, version, state, updatedAt);
    },
  };
}
