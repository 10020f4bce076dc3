import { stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { type Logger, StorageError } from "@platform-rpc/server";
import { type AppStorage, databaseFile } from "../platform/open-storage.js";
import type { Settings } from "../settings/settings.js";
import { createDatabaseWatch, type DatabaseWatch, type ReplacedDatabase } from "./database-watch.js";
import type { Witness } from "./witness-file.js";

export interface ServedStorageOptions {
  readonly settings: Pick<Settings, "databaseUrl" | "witnessFile" | "dataDir">;
  readonly open: () => Promise<AppStorage>;
  /** What the process knew before it started again. Default: what the file says. */
  readonly witness: Witness | undefined;
  readonly logger: Logger;
  /** Serves health until it is closed. */
  readonly serveHealth: (replaced: ReplacedDatabase) => Promise<{ close(): Promise<void> }>;
}

export interface ServedStorage {
  readonly storage: AppStorage;
  readonly watch: Pick<DatabaseWatch, "check">;
  close(): Promise<void>;
}

/**
 * Opens the storage of a database that may be served. Until an operator has decided about a replaced one, it is closed, so that an epoch
 * can begin, and `serveHealth` serves.
 */
export function openServedStorage(options: ServedStorageOptions): Promise<ServedStorage> {
  const { databaseUrl } = options.settings;
  return databaseUrl === undefined ? openServedSqlite(options) : openServedPostgres(databaseUrl, options);
}

const withoutChecksums =
  "PostgreSQL has no data checksums, so a bit that changes on its disk can hide rows unnoticed: stop it, and run `pg_checksums --enable` " +
  'on its data folder. See "Prepare PostgreSQL" in the documentation.';

/** The history is read by a separate connection, before the storage migrates the database. */
async function openServedPostgres(url: string, options: ServedStorageOptions): Promise<ServedStorage> {
  const { settings, open, serveHealth, ...rest } = options;
  const { openPostgresHistory } = await import("@platform-rpc/server/postgres");
  const history = openPostgresHistory({ url });
  let storage: AppStorage | undefined;
  try {
    const watch = await createDatabaseWatch({
      engine: "PostgreSQL",
      file: settings.witnessFile,
      read: history.read,
      recentChanges: () => storage?.recentChanges?.() ?? [],
      ...rest,
    });
    const found = await watch.look();
    if (found instanceof StorageError) {
      // Without a witness, the storage reports why the database cannot be read.
      if (watch.witness() !== undefined) throw found;
    } else if (found !== "served") {
      await serveWhile(serveHealth, found, options.logger, async () => (await watch.look()) !== "served");
    }
    const opened = await open();
    storage = opened;
    if (opened.dataChecksums === false) options.logger.error({}, withoutChecksums);
    const close = async () => {
      await Promise.all([opened.close(), history.close()]);
    };
    return { storage, watch, close };
  } catch (error) {
    await history.close();
    throw error;
  }
}

/** Only the storage can read the file, which it locks. A replaced file is opened again when it has changed. */
async function openServedSqlite(options: ServedStorageOptions): Promise<ServedStorage> {
  const { settings, open, serveHealth, ...rest } = options;
  const path = databaseFile(settings);
  for (;;) {
    const storage = await open();
    const { readHistory } = storage;
    if (readHistory === undefined) throw new TypeError("A storage on SQLite reads its history.");
    const read = ({ known }: { readonly known: Parameters<typeof readHistory>[0] }) => readHistory(known);
    const watch = await createDatabaseWatch({
      engine: "SQLite",
      file: settings.witnessFile,
      read,
      recentChanges: () => [],
      ...rest,
    });
    const found = await watch.look();
    if (found === "served" || found instanceof StorageError) return { storage, watch, close: () => storage.close() };
    await storage.close();
    const replaced = await stateOf(path);
    let last = replaced;
    await serveWhile(serveHealth, found, options.logger, async () => {
      const state = await stateOf(path);
      const settled = state !== "" && state !== replaced && state === last;
      last = state;
      return !settled;
    });
  }
}

async function serveWhile(
  serveHealth: ServedStorageOptions["serveHealth"],
  replaced: ReplacedDatabase,
  logger: Logger,
  isReplaced: () => Promise<boolean>,
): Promise<void> {
  logger.error({ reason: replaced.comparison }, `not ready: ${replaced.message}`);
  const serving = await serveHealth(replaced);
  try {
    do await setTimeout(1_000);
    while (await isReplaced());
  } finally {
    await serving.close();
  }
  logger.info({}, "an operator has decided about the database");
}

/** Differs when the file was replaced or changed. */
async function stateOf(path: string): Promise<string> {
  const state = await stat(path).catch(() => undefined);
  return state === undefined ? "" : `${state.ino} ${state.size} ${state.mtimeMs}`;
}
