import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { requireOptions } from "@platform-rpc/options";
import { StorageError } from "../../../ports/storage.js";
import { createStorageRecorder } from "../../figures.js";
import { noticeDamage, stopping } from "../backup/backups.js";
import {
  createSqliteStorage,
  damageOf,
  type SqliteStorage,
  type SqliteStorageOptions,
  sqliteRules,
} from "../create-sqlite-storage.js";
import { inMemory, openReader } from "../database/open-database.js";
import { DatabaseInUseError } from "../database/open-errors.js";
import { createReadHistory } from "../read-history.js";
import { createStorage } from "../storage-on-database.js";
import { connectWriter } from "./connect-writer.js";
import type { WriterThreadData } from "./serve-writer.js";

/**
 * Creates a storage as `createSqliteStorage` does, whose writer is a thread: while a commit waits for the disk, the calling thread keeps
 * running, and answers what needs no write. A database in memory has nothing to wait for, and stays in the calling thread.
 *
 * If the thread ends unexpectedly, open calls fail as "unavailable", because it is unknown whether they were committed, and all later
 * calls fail as "lost": end the process, as when the files are lost.
 *
 * @example
 * ```ts
 * import { createThreadedSqliteStorage } from "@platform-rpc/server";
 *
 * const storage = await createThreadedSqliteStorage({ path: ":memory:" });
 * const { head } = await storage.listChanges({ tenantId: "acme", vaultId: "personal", afterSequence: 0, limit: 10 });
 * console.log(head);
 * // 0
 * await storage.close();
 * ```
 *
 * @throws the errors of `createSqliteStorage`, as rejections.
 */
export async function createThreadedSqliteStorage(options: SqliteStorageOptions): Promise<SqliteStorage> {
  requireOptions("createThreadedSqliteStorage", options, sqliteRules);
  return startWriterThread(new URL("./writer-thread.js", import.meta.url), options);
}

/** The files that storages of this thread have open. SQLite does not refuse a second one, because both are of the same process. */
const openFiles = new Set<string>();

/** Starts a module that calls `serveWriter` as a thread, and returns the storage that writes there. */
export async function startWriterThread(module: URL, options: SqliteStorageOptions): Promise<SqliteStorage> {
  const { path, ...limits } = options;
  if (path === inMemory) return createSqliteStorage(options);
  const file = realPathOf(path);
  if (openFiles.has(file)) throw new DatabaseInUseError(path);
  openFiles.add(file);
  const recorder = createStorageRecorder();
  const data: WriterThreadData = { path };
  const worker = new Worker(module, { name: "writer", workerData: data, execArgv: [] });
  const writer = connectWriter(worker, recorder.checkpoint);
  let lose = writer.lose;
  const ended = new Promise<void>((end) => {
    worker.on("exit", (code) => {
      openFiles.delete(file);
      lose(new Error(`the thread of the storage ended with code ${code}`));
      end();
    });
  });
  worker.on("error", (error) => lose(error));
  const damage = await writer.opened().catch(async (error) => {
    // Only then, the file can be opened again.
    worker.ref();
    await ended;
    throw error;
  });
  const closed = async (settle: boolean) => {
    try {
      await writer.close(settle);
    } finally {
      worker.ref();
      await ended;
    }
  };
  let database: DatabaseSync | undefined;
  try {
    const connection = openReader(path);
    database = connection;
    const reader = { database: connection, close: () => connection.close() };
    const parts = { reader, writer: { ...writer, close: closed }, recorder, damage, ...limits };
    const { storage, read, failed } = createStorage(parts);
    const readHistory = createReadHistory(connection);
    lose = (cause) => {
      failed(new StorageError("lost", { cause }));
      writer.lose(cause);
    };
    let closing = false;
    let waiters = 0;
    return {
      ...storage,
      async backUp(to, signal) {
        if (closing) throw stopping();
        waiters += 1;
        const waiter = waiters;
        const stop = () => void writer.stopBackup(waiter).catch(() => {});
        signal?.addEventListener("abort", stop);
        try {
          const backup = writer.backUp(to, waiter);
          if (signal?.aborted === true) stop();
          return await noticeDamage(backup, failed);
        } finally {
          signal?.removeEventListener("abort", stop);
        }
      },
      readHistory: (known) => read(() => readHistory(known)),
      figures: recorder.read,
      close() {
        closing = true;
        return storage.close();
      },
    };
  } catch (error) {
    database?.close();
    await closed(false);
    throw damageOf(error, path);
  }
}

/** Returns the path of a file without links. The file may not exist yet. */
function realPathOf(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    // A folder that does not exist is reported when the file is opened.
    const folder = dirname(absolute);
    return existsSync(folder) ? join(realpathSync(folder), basename(absolute)) : absolute;
  }
}
