import { chmodSync, constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { isListOf, isText, may, requireOptions } from "@platform-rpc/options";
import type { HistoryEvent } from "../../../domain/model/history.js";
import type { Epoch } from "../../epoch.js";
import { gap, pathTo, time } from "../../option-rules.js";
import { flush } from "../database/flush.js";
import { openDatabase } from "../database/open-database.js";
import { beginEpoch, newestRecord } from "./begin-epoch.js";
import { checkBackupContent, checkBackupFile, checkRows } from "./check-backup.js";
import { lockReplaced } from "./replaced-database.js";

/** The backup, and the database to replace. */
export interface RestoreOptions {
  /** The backup. It is not changed. */
  readonly backup: string;
  /** The database file. It need not exist. */
  readonly path: string;
  /** The time, in milliseconds since the Unix epoch. */
  readonly now: number;
  /**
   * The number of sequences that every vault skips at least, because they may have been assigned since the backup. Default:
   * about 2^24, plus 100 for each second since the newest record of the backup.
   */
  readonly gap?: number | undefined;
  /** The first letters of the subjects of lost events to list, such as `account:`. Default: none. */
  readonly subjects?: readonly string[];
}

/** The result of a restore. */
export interface Restored extends Epoch {
  /** The file in which the replaced database is kept; undefined when there was none. */
  readonly replaced: string | undefined;
  /**
   * The events of `subjects` in the audit trail of the replaced database that are not in the backup, the oldest first. Undefined: they
   * are not known, because there was no database, or it cannot be read.
   */
  readonly lostEvents: readonly HistoryEvent[] | undefined;
}

/**
 * Restores a backup and yields after each step. If the process is killed at any point, `path` is either the old database or
 * the restored one.
 */
export function* restoring({ backup, path, now, gap, subjects = [] }: RestoreOptions): Generator<string, Restored> {
  checkBackupFile(backup, path);
  const replaced = lockReplaced(path);
  const restored = `${path}.restoring`;
  try {
    yield "locked";
    removeDatabase(restored);
    copyFileSync(backup, restored, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    chmodSync(restored, 0o600);
    yield "copied";
    checkBackupContent(restored, backup);
    yield "checked";
    const database = openDatabase(restored);
    let epoch: Epoch;
    let lostEvents: Restored["lostEvents"];
    try {
      checkRows(database, backup);
      yield "migrated";
      lostEvents = replaced.eventsAfter(newestRecord(database) ?? { position: 0, at: 0 }, subjects);
      epoch = beginEpoch(database, { gap, now, replaced: replaced.sequences });
      yield "epoch begun";
      // Moves the log into the database file, the only file that is moved into place.
      database.exec("PRAGMA journal_mode = DELETE");
    } finally {
      database.close();
    }
    flush(restored);
    yield "flushed";
    const existed = existsSync(path);
    const kept = `${path}.replaced-${new Date(now).toISOString().replaceAll(/[-:]/g, "")}`;
    replaced.setAside(kept);
    yield "set aside";
    if (existed) renameSync(restored, path);
    else {
      // Unlike a rename, this fails when another process has created a database meanwhile.
      linkSync(restored, path);
      rmSync(restored);
    }
    yield "in place";
    flush(dirname(path));
    return { ...epoch, replaced: existed ? kept : undefined, lostEvents };
  } finally {
    removeDatabase(restored);
    replaced.release();
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-journal", "-shm"]) rmSync(path + suffix, { force: true });
}

/**
 * Replaces a database that no process uses with a backup, and begins a new epoch: sequences and versions that may have been
 * assigned after the backup are not assigned again, and no earlier token or device code is accepted. The replaced database
 * is kept in the same folder.
 *
 * @example
 * ```ts
 * import { resolve } from "node:path";
 * import { createSqliteStorage, restoreSqliteBackup } from "@platform-rpc/server";
 *
 * const storage = createSqliteStorage({ path: "restored.sqlite" });
 * await storage.backUp(resolve("monday.backup"));
 * await storage.close();
 *
 * const restored = restoreSqliteBackup({ backup: "monday.backup", path: "restored.sqlite", now: Date.now() });
 * console.log(restored.number);
 * // 1
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 * @throws DatabaseInUseError when a process uses the database.
 * @throws RestoreError when the backup cannot be restored.
 * @throws DatabaseTooNewError when a newer version of this program made the backup.
 * @throws DatabaseTooOldError when a development version of this program made the backup.
 */
export function restoreSqliteBackup(options: RestoreOptions): Restored {
  requireOptions("restoreSqliteBackup", options, {
    backup: pathTo("the backup"),
    path: pathTo("the database file"),
    now: time,
    gap,
    subjects: may("be a list of texts, such as account:", (value) => isListOf(value, isText)),
  });
  const steps = restoring(options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
