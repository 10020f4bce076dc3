import { Worker } from "node:worker_threads";

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
  parentPort.postMessage(Object.values(database.prepare("PRAGMA integrity_check(1)").get())[0]);
  database.close();
`;

/**
 * Turns a copy of a database into one self-contained file, and resolves with the result of `PRAGMA integrity_check`: "ok"
 * or a problem.
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
