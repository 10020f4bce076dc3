import type { DatabaseSync } from "node:sqlite";
import { text } from "../database/columns.js";

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
