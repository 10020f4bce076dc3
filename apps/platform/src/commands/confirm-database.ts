import { compareHistory } from "@platform-rpc/server/host";
import type { Settings } from "../settings/settings.js";
import { readWitness } from "../witness/witness-file.js";
import { CommandError } from "./command-output.js";

/**
 * Confirms a PostgreSQL database that is another one than before, and has every change. Running processes serve it within seconds.
 *
 * @returns the lines to print.
 * @throws CommandError when the witness of this machine knows more than the database.
 */
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
