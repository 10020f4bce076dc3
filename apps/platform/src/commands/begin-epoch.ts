import { RestoreError } from "@platform-rpc/server";
import { compareHistory, type HistoryEvent } from "@platform-rpc/server/host";
import { openPostgres } from "../platform/open-storage.js";
import type { Settings } from "../settings/settings.js";
import { readWitness } from "../witness/witness-file.js";
import { CommandError } from "./command-output.js";
import { confirmUndoneAccounts, undoneChanges } from "./undone-accounts.js";

/** Begins an epoch in a PostgreSQL database that was restored to an earlier point. @throws CommandError, SettingsError */
export async function beginEpoch(settings: Settings, { gap }: { gap?: number }): Promise<string[]> {
  const { databaseUrl: url, keysFile } = settings;
  if (url === undefined) {
    throw new CommandError(
      "Set DATABASE_URL to the restored database. On SQLite, `platform restore` begins the epoch.",
    );
  }
  const { beginPostgresEpoch } = await import("@platform-rpc/server/postgres");
  const { events, announcedAt } = await readLost(url, settings.witnessFile);
  // Before processes that wait for the epoch serve. The accounts contain no content.
  const contentKey = new Promise<Uint8Array>(() => {});
  const accounts = await confirmUndoneAccounts(events, settings.accountsTenant, () =>
    openPostgres(url, { tracing: undefined, contentKey, cell: settings.cell }),
  );
  const beginning = beginPostgresEpoch({ url, gap, now: Date.now(), after: announcedAt });
  const { number, backupAt } = await beginning.catch((error: unknown) => {
    if (error instanceof RestoreError) throw new CommandError(`No epoch was begun. ${error.message}`);
    throw error;
  });
  return [
    `Epoch ${number} begins: clients fetch every item again, and all earlier tokens and device codes are rejected.`,
    `The newest record of the database was written at ${new Date(backupAt).toISOString()}.`,
    "",
    ...undoneChanges(keysFile),
    ...accounts,
  ];
}

/** Returns the account events in this machine's witness that the database lacks, and the newest epoch there. Undefined: no witness. */
async function readLost(
  url: string,
  witnessFile: string,
): Promise<{ readonly events: readonly HistoryEvent[] | undefined; readonly announcedAt: number | undefined }> {
  const witness = await readWitness(witnessFile, "PostgreSQL");
  if (witness === undefined) return { events: undefined, announcedAt: undefined };
  const { openPostgresHistory } = await import("@platform-rpc/server/postgres");
  const history = openPostgresHistory({ url });
  try {
    const found = await history.read({ known: witness.history, changes: [], subjects: [] });
    const { position = 0 } = found?.newest ?? {};
    const comparison = found && compareHistory(witness.history, found);
    const { announcedAt } = witness.history;
    // If the database was used since, its rows have taken the positions of lost ones.
    if (comparison === "different") return { events: witness.events, announcedAt };
    const lost = comparison === "older" ? witness.events.filter((event) => event.position > position) : [];
    return { events: lost, announcedAt };
  } finally {
    await history.close();
  }
}

/** Confirms another database that has every change: processes serve it within seconds. @throws CommandError if the witness knows more. */
export async function confirmDatabase({ databaseUrl: url, witnessFile }: Settings): Promise<string[]> {
  if (url === undefined) throw new CommandError("Set DATABASE_URL to the database to confirm. SQLite needs none.");
  const { confirmPostgresDatabase, openPostgresHistory } = await import("@platform-rpc/server/postgres");
  const { history: known, changes } = (await readWitness(witnessFile, "PostgreSQL")) ?? {
    history: undefined,
    changes: [],
  };
  const history = openPostgresHistory({ url });
  const found = await history.read({ known, changes, subjects: [] }).finally(() => history.close());
  if (found === undefined) throw new CommandError("DATABASE_URL is a standby. Set it to the primary server.");
  const comparison = known === undefined ? "same" : compareHistory(known, found);
  if (comparison === "foreign") {
    throw new CommandError(
      "The database was not confirmed: it belongs to another installation. Correct DATABASE_URL. To use this database all the same, " +
        `delete ${witnessFile}.`,
    );
  }
  if (comparison !== "same" && comparison !== "announced" && comparison !== "another") {
    throw new CommandError(
      `The database was not confirmed: it lacks changes that the platform made before (${witnessFile}). Their sequences would be ` +
        "assigned again. Stop every process of the platform, and run `platform begin-epoch`.",
    );
  }
  await confirmPostgresDatabase({ url, now: Date.now(), after: known?.announcedAt });
  return [
    "The database is confirmed. Running processes serve it within seconds.",
    ...(known === undefined ? [`There is no witness (${witnessFile}), so nothing was compared.`] : []),
  ];
}
