import { compareHistory, type HistoryEvent, RestoreError } from "@platform-rpc/server";
import { openPostgres } from "../open-storage.js";
import type { Settings } from "../settings.js";
import { readWitness } from "../witness/witness-file.js";
import { CommandError } from "./command-error.js";
import { confirmUndoneAccounts } from "./undone-accounts.js";
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
  const events = await lostEvents(url, settings.witnessFile);
  const beginning = beginPostgresEpoch({ url, gap, now: Date.now() });
  const { number, backupAt } = await beginning.catch((error: unknown) => {
    if (error instanceof RestoreError) throw new CommandError(`No epoch was begun. ${error.message}`);
    throw error;
  });
  // The accounts contain no content.
  const contentKey = new Promise<Uint8Array>(() => {});
  const accounts = await confirmUndoneAccounts(events, settings.accountsTenant, () =>
    openPostgres(url, { tracing: undefined, contentKey }),
  );
  return [
    `Epoch ${number} begins: clients fetch every item again, and all earlier tokens and device codes are rejected.`,
    `The newest record of the database was written at ${new Date(backupAt).toISOString()}.`,
    "",
    ...undoneChanges(keysFile),
    ...accounts,
  ];
}

/** Returns the events of accounts that are in the witness of this machine and not in the database. Undefined: there is no witness. */
async function lostEvents(url: string, witnessFile: string): Promise<readonly HistoryEvent[] | undefined> {
  const witness = await readWitness(witnessFile, "PostgreSQL");
  if (witness === undefined) return undefined;
  const { openPostgresHistory } = await import("@platform-rpc/server/postgres");
  const history = openPostgresHistory({ url });
  try {
    const found = await history.read({ known: witness.history, changes: [], subjects: [] });
    const { position = 0 } = found?.newest ?? {};
    // If the database was used since, its rows have taken the positions of lost ones.
    const isShort = found !== undefined && compareHistory(witness.history, found) === "older";
    return isShort ? witness.events.filter((event) => event.position > position) : witness.events;
  } finally {
    await history.close();
  }
}
