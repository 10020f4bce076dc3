import { Worker } from "node:worker_threads";

/**
 * Runs in another thread, because reading a whole database would block the event loop for seconds. It is source text, so that
 * bundles need no second file. No other thread has the copy open.
 *
 * The copy leaves WAL mode, so that it is one file that can be read anywhere.
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
 * Makes a copy of a database one self-contained file, and resolves with what `PRAGMA integrity_check` finds: "ok" or a fault.
 *
 * @param check called several times a second; when it throws, the check ends.
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
