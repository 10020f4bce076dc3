import type { DatabaseSync } from "node:sqlite";
import { checksumOf } from "../../checksum.js";
import { integer, type Row, requireChecksum } from "../database/columns.js";

/** The integers of an epoch's checksum, in their order: all columns. */
export const epochIntegers = ["number", "began_at", "backup_at", "gap", "new_vault_floor"] as const;

/** Creates a function that returns the floor of vaults that are created: see `epoch.ts`. */
export function createNewVaultFloor(database: DatabaseSync): () => number {
  const select = database.prepare("SELECT * FROM epochs");
  return () => select.all().reduce((floor, row) => Math.max(floor, toEpoch(row).newVaultFloor), 0);
}

/** Reads a row of `epochs`. @throws DamagedRowError */
export function toEpoch(row: Row): { readonly beganAt: number; readonly newVaultFloor: number } {
  requireChecksum(row, checksumOf([], ...epochIntegers.map((column) => integer(row, column))), "epochs");
  return { beganAt: integer(row, "began_at"), newVaultFloor: integer(row, "new_vault_floor") };
}
