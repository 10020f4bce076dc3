import { migrations } from "../database/migrate.js";
import { openDatabase } from "../database/open-database.js";

/**
 * Keeps the writer of a storage in its own thread from writing, like a commit that waits for the disk, for up to 5 s. Returns a function
 * that lets it go on.
 */
export function holdLock(path: string): () => void {
  const database = openDatabase(path, migrations, { shared: true });
  database.exec("BEGIN IMMEDIATE");
  return () => {
    database.exec("COMMIT");
    database.close();
  };
}
