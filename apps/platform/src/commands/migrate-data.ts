import { createFileKeyStore } from "@platform-rpc/server";
import { deriveKeys } from "@platform-rpc/server/host";
import { databaseFile } from "../platform/open-storage.js";
import type { Settings } from "../settings/settings.js";
import { CommandError } from "./command-output.js";

export interface MigrateDataOptions {
  /** Such as `sqlite:/var/lib/platform/platform.sqlite`. Default: the database of DATA_DIR. */
  readonly from?: string;
  /** Such as `postgres://user@host/platform`. Default: DATABASE_URL. */
  readonly to?: string;
}

/**
 * Copies everything in a SQLite database to an empty PostgreSQL database, and compares every row.
 *
 * @throws CommandError, SettingsError, KeyFileError, DatabaseInUseError, DatabaseTooNewError
 */
export async function migrateData(settings: Settings, { from, to }: MigrateDataOptions): Promise<string[]> {
  const path = from === undefined ? databaseFile(settings) : pathOf(from);
  const url = to ?? settings.databaseUrl;
  if (url === undefined) throw new CommandError("Set --to or DATABASE_URL to the URL of the PostgreSQL database.");
  const keys = await loadKeys(settings);
  // Only this command needs the driver, and only with PostgreSQL the platform does.
  const { copySqliteToPostgres, DataCopyError } = await import("@platform-rpc/server/postgres");
  const copying = copySqliteToPostgres({ path, url, ...keys, now: Date.now() });
  const { rows, how } = await copying.catch((error: unknown) => {
    throw error instanceof DataCopyError ? new CommandError(`The data was not copied. ${error.message}`) : error;
  });
  const count = (table: string) => (rows[table] ?? 0).toLocaleString("en");
  const place = `${path} to ${withoutPassword(url)}`;
  const began = {
    copied: `Copied ${place}`,
    finished: `Nothing to do: an earlier run has copied ${place}`,
  };
  return [
    `${began[how]}: ${count("vaults")} vaults, ${count("items")} items, ${count("changes")} changes, ` +
      `${count("records")} records, ${count("audit")} audit records.`,
    `Verified: all rows of ${Object.keys(rows).length} tables are equal on both sides, and no vault has a gap in its sequences.`,
    `The source is unchanged. Start the platform with DATABASE_URL, and with the same KEYS_FILE (${settings.keysFile}).`,
  ];
}

/** Loads the keys that belong to the contents of a database. @throws CommandError, KeyFileError */
export async function loadKeys({ keysFile }: Pick<Settings, "keysFile">) {
  const keys = await createFileKeyStore(keysFile).load();
  if (keys !== undefined) return deriveKeys(keys);
  throw new CommandError(
    `There is no key file ${keysFile}. Set KEYS_FILE to the file that the platform uses: contents are encrypted with it.`,
  );
}

/** Returns the path of a SQLite database, such as `sqlite:/var/lib/platform/platform.sqlite`. @throws CommandError */
export function pathOf(from: string): string {
  const [, path] = /^sqlite:(.+)$/.exec(from) ?? [];
  if (path === undefined) throw new CommandError("--from must be sqlite: and the path of the database file.");
  return path;
}

function withoutPassword(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
