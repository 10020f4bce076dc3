import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { platformTenant } from "@platform-rpc/accounts/http/own-call";
import { BackupError, createThreadedSqliteStorage, type Storage } from "@platform-rpc/server";
import type {
  AcknowledgedChange,
  Backup,
  DatabaseHistory,
  GuessLimiter,
  HistoryReading,
  Lease,
  RateLimiter,
  StorageFigures,
  Tracing,
} from "@platform-rpc/server/host";
import type { Settings } from "../settings/settings.js";

export interface AppStorage extends Storage {
  figures(): StorageFigures;
  /** Whether PostgreSQL has data checksums. Undefined on SQLite. */
  readonly dataChecksums?: boolean;
  /** The limiters that the processes of a database share. Undefined on SQLite, which has one process. */
  readonly rateLimiter?: RateLimiter;
  readonly guesses?: GuessLimiter;
  /** Creates a lease that one of the processes of a database can have. Undefined on SQLite. */
  lease?(name: string): Lease;
  /** Returns some of the newest changes that it has acknowledged, which a restored database may lack. Undefined on SQLite. */
  recentChanges?(): readonly AcknowledgedChange[];
  /** Reads the history of the database. Undefined on PostgreSQL, where another connection reads it. */
  readHistory?(known: DatabaseHistory | undefined): Promise<HistoryReading>;
  /** Makes a backup in a new file. @throws BackupError */
  backUp(path: string, signal?: AbortSignal): Promise<Backup>;
}

interface OpenStorageOptions {
  readonly settings: Settings;
  readonly tracing: Tracing | undefined;
  /** Settles once the keys are loaded, for which the storage must be open. Only PostgreSQL uses it. */
  readonly contentKey: Promise<Uint8Array>;
}

/** Thrown when the tenant of the SQLite database has moved to a cell, so that a new database would be created. */
export class DatabaseMovedError extends Error {
  override readonly name = "DatabaseMovedError";

  constructor(path: string, moved: string) {
    super(
      `There is no database ${path}: its tenant has moved to a cell, and the file is ${moved} now. Set DATABASE_URL and CELL to serve ` +
        "from a cell. To begin with a new, empty database, set DATA_DIR to another folder.",
    );
  }
}

/** Opens the storage: on PostgreSQL if `DATABASE_URL` is set, otherwise on SQLite, with its writer in a thread. @throws DatabaseMovedError */
export async function openStorage({ settings, tracing, contentKey }: OpenStorageOptions): Promise<AppStorage> {
  if (settings.databaseUrl !== undefined) {
    const postgres = await openPostgres(settings.databaseUrl, { tracing, contentKey, cell: settings.cell });
    return { ...postgres, backUp: rejectBackup };
  }
  const path = databaseFile(settings);
  await rejectMoved(path);
  return createThreadedSqliteStorage({ path, tracing });
}

/** Rejects a folder that a tenant has left. People would sign up anew in an empty database, which the cell does not know. */
async function rejectMoved(path: string): Promise<void> {
  if (existsSync(path)) return;
  const names = await readdir(dirname(path)).catch(() => []);
  const moved = names.find((name) => name.startsWith(`${basename(path)}.moved-`));
  if (moved !== undefined) throw new DatabaseMovedError(path, moved);
}

/** Loads the driver, which SQLite does not need. */
export async function openPostgres(
  url: string,
  { cell, ...options }: Omit<OpenStorageOptions, "settings"> & Pick<Settings, "cell">,
) {
  const { createPostgresStorage } = await import("@platform-rpc/server/postgres");
  return createPostgresStorage({
    url,
    ...options,
    cell: cell === undefined ? undefined : { ownTenants: [platformTenant] },
  });
}

async function rejectBackup(): Promise<never> {
  const instead =
    'Back up PostgreSQL with its own tools, such as pg_basebackup: see "Backup and restore" in the documentation.';
  throw new BackupError("failed", `The platform backs up SQLite only. ${instead}`);
}

export function databaseFile({ dataDir }: Pick<Settings, "dataDir">): string {
  return join(dataDir, "platform.sqlite");
}
