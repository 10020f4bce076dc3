import { join } from "node:path";
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

/** The storage of the app, on SQLite or on PostgreSQL. */
export interface AppStorage extends Storage {
  figures(): StorageFigures;
  /** The limiters that the processes of a database share. Undefined on SQLite, which has one process. */
  readonly rateLimiter?: RateLimiter;
  readonly guesses?: GuessLimiter;
  /** Creates a lease that one of the processes of a database can have. Undefined on SQLite. */
  lease?(name: string): Lease;
  /** Returns some of the newest changes that it has acknowledged. Undefined on SQLite. */
  recentChanges?(): readonly AcknowledgedChange[];
  /** Reads the history of the database. Undefined on PostgreSQL, where another connection reads it. */
  readHistory?(known: DatabaseHistory | undefined): Promise<HistoryReading>;
  /** Makes a backup in a new file. @throws BackupError */
  backUp(path: string, signal?: AbortSignal): Promise<Backup>;
}

interface OpenStorageOptions {
  readonly settings: Settings;
  readonly tracing: Tracing | undefined;
  /** The key for contents on PostgreSQL: known when the keys are loaded, which needs the storage. */
  readonly contentKey: Promise<Uint8Array>;
}

/** Opens the storage: on PostgreSQL if `DATABASE_URL` is set, otherwise on SQLite, with its writer in a thread. */
export async function openStorage({ settings, tracing, contentKey }: OpenStorageOptions): Promise<AppStorage> {
  if (settings.databaseUrl !== undefined) {
    const postgres = await openPostgres(settings.databaseUrl, { tracing, contentKey, cell: settings.cell });
    return { ...postgres, backUp: rejectBackup };
  }
  return createThreadedSqliteStorage({ path: databaseFile(settings), tracing });
}

/** Opens a storage on PostgreSQL. Only then, the driver is loaded. */
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
