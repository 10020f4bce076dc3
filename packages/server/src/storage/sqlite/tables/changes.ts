import type { DatabaseSync } from "node:sqlite";
import type { ItemStatus } from "../../../domain/model/item.js";
import { checksumOf, sumOf } from "../../checksum.js";
import { flag, integer, requireChecksum } from "../database/columns.js";
import { DamagedRowError } from "../database/sqlite-error.js";
import type { VaultRow } from "./vaults.js";

/** Every sequence that is a multiple of it has a landmark. A page of changes visits half of it before its first change, on average. */
export const landmarkInterval = 32;

/** The SQL of the checksum of a row of `changes`, by its columns in a table or query. Without its position, by which others refer to it. */
export function changeSum(table: string): string {
  const states = ["live", "deleted", "shredded"].map((state) => `WHEN '${state}' THEN ${checksumOf([state])}`);
  const integers = ["vault", "sequence", "item", "version", "at"].map((column) => `${table}.${column}`);
  return `CASE ${table}.state ${states.join(" ")} END + ${sumOf([...integers, `ifnull(${table}.previous, 0)`])}`;
}

/** The SQL of the checksum of a row of `landmarks`, by its columns in a table or query. */
export function landmarkSum(table: string): string {
  return `${checksumOf([])} + ${sumOf(["vault", "sequence", "position"].map((column) => `${table}.${column}`))}`;
}

/**
 * A query for the changes of a vault, newest first, from the one with the sequence `:start` at position `:last` back to the one after the
 * sequence `:after`, and for the one before it, if there is one. `walk` is the name of the result. Where a row is damaged or missing,
 * `sound` is not true, and the walk ends.
 */
export const walkBack: string = `
  WITH RECURSIVE walk (position, sequence, item, version, previous, sound) AS (
    SELECT changes.position, sequence, item, version, previous, checksum = ${changeSum("changes")} AND sequence = :start AND vault = :vault
    FROM (SELECT :last AS place) LEFT JOIN changes ON changes.position = place
    UNION ALL
    SELECT changes.position, changes.sequence, changes.item, changes.version, changes.previous,
      checksum = ${changeSum("changes")} AND changes.sequence < walk.sequence AND vault = :vault
    FROM walk LEFT JOIN changes ON changes.position = walk.previous
    WHERE sound AND walk.sequence > :after AND walk.previous IS NOT NULL)`;

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
  const insert = database.prepare(`
    INSERT INTO changes (vault, sequence, item, version, state, at, previous, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertLandmark = database.prepare(
    "INSERT INTO landmarks (vault, sequence, position, checksum) VALUES (?, ?, ?, ?)",
  );
  const selectLandmark = database.prepare(
    "SELECT sequence, position, checksum FROM landmarks WHERE vault = ? AND sequence > ? ORDER BY sequence LIMIT 1",
  );
  const selectKnown = database.prepare(`
    ${walkBack} SELECT min(ifnull(sound, 0)) AS sound, max(sequence = :after + 1) AS known FROM walk`);

  /** Finds where to begin a walk back to a sequence, so that it visits less than 64 changes. Undefined: there is no later change. */
  const startAfter = ({ id, head, lastChange }: VaultRow, after: number): WalkStart | undefined => {
    const landmark = selectLandmark.get(id, after);
    if (landmark !== undefined) {
      const checksum = checksumOf([], id, integer(landmark, "sequence"), integer(landmark, "position"));
      requireChecksum(landmark, checksum, "landmarks");
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
      if (start === undefined) return false;
      const row = selectKnown.get(walkFrom(vault, start, after)) ?? {};
      if (!flag(row, "sound")) throw damagedHistory(vault);
      return flag(row, "known");
    },

    /** Appends the next change of a vault, of the item with this row id. Returns its position in commit order. */
    append({ id: vault, head, lastChange }: VaultRow, item: number, { version, state, updatedAt }: ItemStatus): number {
      const sequence = head + 1;
      const checksum = checksumOf([state], vault, sequence, item, version, updatedAt, lastChange);
      const row = [vault, sequence, item, version, state, updatedAt, lastChange ?? null] as const;
      const position = Number(insert.run(...row, checksum).lastInsertRowid);
      if (sequence % interval === 0)
        insertLandmark.run(vault, sequence, position, checksumOf([], vault, sequence, position));
      return position;
    },
  };
}

/** Returns the parameters of `walkBack`. */
export function walkFrom({ id: vault }: VaultRow, { position: last, sequence: start }: WalkStart, after: number) {
  return { vault, last, start, after };
}

/** @param of the vault, if it is known */
export function damagedHistory(of?: Pick<VaultRow, "id" | "vault">): DamagedRowError {
  const row =
    of && `changes ${JSON.stringify({ vault: of.id, tenantId: of.vault.tenantId, vaultId: of.vault.vaultId })}`;
  return new DamagedRowError("the history of a vault is damaged, or differs from its items", row);
}

export type Changes = ReturnType<typeof createChanges>;
