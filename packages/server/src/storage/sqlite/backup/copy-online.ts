import type { FileHandle } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { nodeSqlite } from "../database/node-sqlite.js";

/**
 * The number of pages copied in one step, during which the database is locked: 512 KiB. Measured with 200 MB in pages of 1 KiB under
 * load: at 256 the event loop stalls no longer than for a commit; at 1000 the median commit takes ten times as long. With 450 MB in
 * pages of 2 KiB and 256, the p99 of commits is 6 ms instead of 4.
 */
const pagesPerStep = 256;

/** Attempts of the first step. It fails while a transaction is open, and is retried after a millisecond. */
const firstStepAttempts = 1_000;

/**
 * Copies a database that is in use to an existing empty file. Commits on the same connection continue between steps, and
 * SQLite applies their changes to pages that are already copied: the copy is the state at the last step, however long it
 * took.
 *
 * The last step flushes the copy to disk while the database is locked. Therefore `target`, a handle of the same file, is
 * flushed continuously, off the event loop, so that little is left for the last step.
 *
 * @throws any error of `check`, which is called between steps and can end the copy.
 */
export async function copyOnline(
  database: DatabaseSync,
  { path, target, check }: { path: string; target: FileHandle; check: () => void },
): Promise<void> {
  let flushing: Promise<void> | undefined;
  let begun = false;
  const flush = () => {
    // Ignored: the last flush reports the error if it persists.
    flushing ??= target
      .datasync()
      .catch(() => undefined)
      .finally(() => {
        flushing = undefined;
      });
  };
  const progress = () => {
    begun = true;
    check();
    flush();
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      check();
      await nodeSqlite.backup(database, path, { rate: pagesPerStep, progress });
      break;
    } catch (error) {
      if (begun || attempt === firstStepAttempts) throw error;
      await setTimeout(1);
    } finally {
      await flushing;
    }
  }
}

/**
 * Runs in a worker thread, because reading a whole database would block the event loop for seconds. It is source text, so
 * that bundles need no second file. No other SQLite connection has the copy open.
 *
 * The copy is taken out of WAL mode, so that it is a single file that can be read anywhere.
 */
const worker = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData);
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE");
  const [found] = Object.values(database.prepare("PRAGMA integrity_check(1)").get());
  const unowned = database.prepare("PRAGMA foreign_key_check").get();
  parentPort.postMessage(unowned === undefined ? found : "a row of " + unowned.table + " has no owner");
  database.close();
`;

/**
 * Turns a copy of a database into one self-contained file, and resolves with the result of `PRAGMA integrity_check` and
 * `PRAGMA foreign_key_check`: "ok" or a problem.
 *
 * @param check is called several times a second; when it throws, the check ends.
 */
export function checkCopy(path: string, check: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(worker, { eval: true, workerData: path, env: {}, execArgv: [] });
    let found = "the check ended early";
    const watch = setInterval(() => {
      try {
        check();
      } catch {
        thread.terminate();
      }
    }, 100);
    thread.on("message", (finding) => {
      found = String(finding);
    });
    thread.on("error", reject);
    thread.on("exit", () => {
      clearInterval(watch);
      resolve(found);
    });
  });
}
