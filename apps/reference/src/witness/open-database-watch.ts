import type { Settings } from "../settings.js";
import { createDatabaseWatch, type DatabaseWatch, type DatabaseWatchOptions } from "./database-watch.js";

/** Opens the watch of the database, with its own connection. SQLite is not watched: its file is locked while it is served. */
export async function openDatabaseWatch(
  { databaseUrl, witnessFile: file }: Pick<Settings, "databaseUrl" | "witnessFile">,
  { recentChanges, logger }: Pick<DatabaseWatchOptions, "recentChanges" | "logger">,
): Promise<DatabaseWatch & { close(): Promise<void> }> {
  if (databaseUrl === undefined) {
    return { look: async () => "served", check: async () => {}, close: async () => {} };
  }
  const { openPostgresHistory } = await import("@platform-rpc/server/postgres");
  const { read, close } = openPostgresHistory({ url: databaseUrl });
  return { ...(await createDatabaseWatch({ file, read, recentChanges, logger })), close };
}
