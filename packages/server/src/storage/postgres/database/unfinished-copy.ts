import type { Database } from "./database.js";

/** Selects the record that says how far a copy is. */
export const dataCopy = "tenant_id = '-' AND collection = 'data-copy' AND key = '-'";

/** Thrown when data is being copied to the database, or the copy was interrupted. */
export class PostgresCopyUnfinishedError extends Error {
  override readonly name = "PostgresCopyUnfinishedError";

  constructor() {
    super(
      "The PostgreSQL database is the target of a copy that is not finished. " +
        "Run the command that copies the data again: it continues where it stopped. Then start the program.",
    );
  }
}

/** Rejects a database that does not contain everything that is copied to it. @throws PostgresCopyUnfinishedError */
export async function rejectUnfinishedCopy(database: Database): Promise<void> {
  const sql = `SELECT EXISTS (SELECT FROM records WHERE ${dataCopy} AND NOT value::jsonb ? 'finishedAt')`;
  if ((await database.call(sql)) === true) throw new PostgresCopyUnfinishedError();
}
