import { RestoreError } from "@platform-rpc/server";
import type { Settings } from "../settings.js";
import { CommandError } from "./command-error.js";
import { undoneChanges } from "./undone-changes.js";

/**
 * Begins a new epoch in a PostgreSQL database that was restored to an earlier point.
 *
 * @returns the lines to print.
 * @throws CommandError, SettingsError
 */
export async function beginEpoch(settings: Settings, { gap }: { gap?: number }): Promise<string[]> {
  const { databaseUrl: url, keysFile } = settings;
  if (url === undefined) {
    throw new CommandError(
      "Set DATABASE_URL to the restored database. On SQLite, `platform restore` begins the epoch.",
    );
  }
  const { beginPostgresEpoch } = await import("@platform-rpc/server/postgres");
  const beginning = beginPostgresEpoch({ url, gap, now: Date.now() });
  const { number, backupAt } = await beginning.catch((error: unknown) => {
    if (error instanceof RestoreError) throw new CommandError(`No epoch was begun. ${error.message}`);
    throw error;
  });
  return [
    `Epoch ${number} begins: clients fetch every item again, and all earlier tokens and device codes are rejected.`,
    `The newest record of the database was written at ${new Date(backupAt).toISOString()}.`,
    "",
    ...undoneChanges(keysFile),
  ];
}
