import type { DatabaseSync } from "node:sqlite";
import type { ClockRecord } from "../../../domain/clock-agreement.js";
import { integer, optional, real, text } from "../database/columns.js";

/** The stored reading of the clocks. */
export function createClockRecord(database: DatabaseSync) {
  const select = database.prepare("SELECT * FROM clock");
  const upsert = database.prepare(`
    INSERT INTO clock (id, run_id, wall, monotonic, trusted_at, agreed_ms) VALUES (1, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET run_id = excluded.run_id, wall = excluded.wall, monotonic = excluded.monotonic,
      trusted_at = excluded.trusted_at, agreed_ms = excluded.agreed_ms`);

  return {
    find(): ClockRecord | undefined {
      const row = select.get();
      return (
        row && {
          runId: text(row, "run_id"),
          wall: integer(row, "wall"),
          monotonic: real(row, "monotonic"),
          trustedAt: real(row, "trusted_at"),
          agreedMs: optional(real, row, "agreed_ms"),
        }
      );
    },

    save({ runId, wall, monotonic, trustedAt, agreedMs }: ClockRecord): void {
      upsert.run(runId, wall, monotonic, trustedAt, agreedMs ?? null);
    },
  };
}

/** The id of the keys that the database was last used with. */
export function createKeysRecord(database: DatabaseSync) {
  const select = database.prepare("SELECT keys_id FROM keys");
  const upsert = database.prepare(`
    INSERT INTO keys (id, keys_id) VALUES (1, ?)
    ON CONFLICT DO UPDATE SET keys_id = excluded.keys_id`);

  return {
    find(): string | undefined {
      const row = select.get();
      return row && text(row, "keys_id");
    },

    save(keysId: string): void {
      upsert.run(keysId);
    },
  };
}
