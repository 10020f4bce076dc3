import type { DatabaseSync } from "node:sqlite";
import type { ItemStatus } from "../../../domain/item.js";
import { flag, integer } from "../database/columns.js";
import type { Position, VaultRow } from "./vaults.js";

/** Every sequence that is a multiple of it has a landmark. A page of changes visits half of it before its first change, on average. */
export const landmarkInterval = 32;

/**
 * A query for the changes of a vault, newest first, from the change at position `:last` back to the one after the sequence `:after`.
 * `walk` is the name of the result. It ends also if damage makes a change refer to a later one.
 */
export const walkBack = `
  WITH RECURSIVE walk (position, sequence, item, previous) AS (
    SELECT position, sequence, item, previous FROM changes WHERE position = :last AND sequence > :after
    UNION ALL
    SELECT changes.position, changes.sequence, changes.item, changes.previous
    FROM walk CROSS JOIN changes ON changes.position = walk.previous
    WHERE changes.sequence > :after AND changes.sequence < walk.sequence)`;

/** A change at which a walk back begins. */
export interface WalkStart {
  readonly position: number;
  readonly sequence: number;
  /** Whether it is the vault's newest change. */
  readonly newest: boolean;
}

/**
 * The history of every vault and the outbox of the platform: append-only, in commit order, without content. It has no index, of
 * which each change would write a page: the changes of a vault are linked, and a walk from a landmark finds any of them.
 */
export function createChanges(database: DatabaseSync, interval = landmarkInterval) {
  const insert = database.prepare(
    "INSERT INTO changes (vault, sequence, item, version, state, at, previous) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const insertLandmark = database.prepare("INSERT INTO landmarks (vault, sequence, position) VALUES (?, ?, ?)");
  const selectLandmark = database.prepare(
    "SELECT sequence, position FROM landmarks WHERE vault = ? AND sequence > ? ORDER BY sequence LIMIT 1",
  );
  const selectKnown = database.prepare(
    `${walkBack} SELECT EXISTS (SELECT 1 FROM walk WHERE sequence = :after + 1) AS known`,
  );

  /** Finds where to begin a walk back to a sequence, so that it visits less than 64 changes. Undefined: there is no later change. */
  const startAfter = ({ id, head, lastChange }: VaultRow, after: number): WalkStart | undefined => {
    const landmark = selectLandmark.get(id, after);
    if (landmark !== undefined) {
      return { position: integer(landmark, "position"), sequence: integer(landmark, "sequence"), newest: false };
    }
    return lastChange === undefined ? undefined : { position: lastChange, sequence: head, newest: true };
  };

  return {
    startAfter,

    /**
     * Returns whether the history of a vault contains a position. A restored backup skips positions that may have been assigned
     * in a lost history, so below the floor only positions with a change count.
     */
    reached(vault: VaultRow, sequence: number): boolean {
      if (sequence === 0 || sequence >= vault.floor) return sequence <= vault.head;
      const after = sequence - 1;
      const start = startAfter(vault, after);
      return start !== undefined && flag(selectKnown.get({ last: start.position, after }) ?? {}, "known");
    },

    /** Appends a change of the item with this row id. Returns its position in commit order. */
    append({ vault, sequence, previous }: Position, item: number, { version, state, updatedAt }: ItemStatus): number {
      const { lastInsertRowid } = insert.run(vault, sequence, item, version, state, updatedAt, previous ?? null);
      const position = Number(lastInsertRowid);
      if (sequence % interval === 0) insertLandmark.run(vault, sequence, position);
      return position;
    },
  };
}

export type Changes = ReturnType<typeof createChanges>;
