import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../../../ports/storage.js";
import { type Backup, backUpDatabase } from "./back-up-database.js";
import { BackupError } from "./backup-error.js";

/** How long a repeated call gets the same backup, in milliseconds. */
const repeatWindow = 60_000;

/** The backups of one open database: one at a time. */
export interface Backups {
  /**
   * Makes a backup at an absolute path. A call with the path of the current backup, or of one completed within the last
   * minute, resolves with that backup, so that a caller who lost the result can retry.
   *
   * @param signal when it is aborted, this call fails. The backup stops when no other call waits for it.
   * @throws BackupError
   */
  backUp(path: string, signal?: AbortSignal): Promise<Backup>;
  /** Stops the current backup. Resolves when no backup uses the database. */
  close(): Promise<void>;
}

interface LastBackup {
  readonly path: string;
  readonly backup: Promise<Backup>;
  /** Until when a repeated call gets it, once it is complete. Undefined while it is being made. */
  repeatUntil: number | undefined;
  /** The number of calls that wait for it. At 0, it stops at its next step, or completes if it has none. */
  waiting: number;
}

/**
 * @param now a monotonic clock in milliseconds. Default: the machine's.
 * @param make makes one backup. Default: `backUpDatabase`.
 */
export function createBackups(
  database: DatabaseSync,
  now: () => number = () => performance.now(),
  make = backUpDatabase,
): Backups {
  let last: LastBackup | undefined;
  let running: Promise<unknown> | undefined;
  let closed = false;

  return {
    async backUp(path, signal) {
      if (signal?.aborted) throw stopping();
      if (last?.path === path && canShare(last, now())) return waitFor(last, signal);
      if (running !== undefined) {
        const message = "Another backup is being made. Wait until it is complete, then try again.";
        throw new BackupError("in_progress", message);
      }
      const backup = make(database, path, () => {
        if (closed || made.waiting === 0) throw stopping();
      });
      const made: LastBackup = { path, backup, repeatUntil: undefined, waiting: 0 };
      last = made;
      running = backup
        .then(
          () => {
            made.repeatUntil = now() + repeatWindow;
          },
          () => {
            last = undefined;
          },
        )
        .finally(() => {
          running = undefined;
        });
      return waitFor(made, signal);
    },

    async close() {
      closed = true;
      await running;
    },
  };
}

/** A completed backup is shared for a while, and one that is being made unless it is being stopped. */
function canShare({ repeatUntil, waiting }: LastBackup, now: number): boolean {
  return repeatUntil === undefined ? waiting > 0 : now < repeatUntil;
}

/** Waits for a backup, until it has ended or the signal is aborted. The last call waits until it has stopped, so that no file remains. */
function waitFor(made: LastBackup, signal: AbortSignal | undefined): Promise<Backup> {
  made.waiting += 1;
  if (signal === undefined) return made.backup;
  return new Promise((resolve, reject) => {
    const leave = () => {
      made.waiting -= 1;
      if (made.waiting > 0) reject(stopping());
    };
    signal.addEventListener("abort", leave, { once: true });
    made.backup.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}

/** Waits for a backup. Damage that it finds is damage of the database. @param failed records an error for the storage */
export async function noticeDamage(backup: Promise<Backup>, failed: (error: StorageError) => void): Promise<Backup> {
  try {
    return await backup;
  } catch (error) {
    if (error instanceof BackupError && error.cause instanceof StorageError) failed(error.cause);
    throw error;
  }
}

/** Creates the error for a backup of a storage that is closed or being closed. */
export function stopping(): BackupError {
  return new BackupError("failed", "The server is stopping. Make the backup when it runs, or when it has stopped.");
}
