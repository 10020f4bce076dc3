import { restoring } from "../../../../src/storage/sqlite/restore/restore-backup.js";

// Restores a backup up to a step, and then kills itself.
const [backup = "", path = "", last = ""] = process.argv.slice(2);
for (const step of restoring({ backup, path, now: Date.now(), gap: 1 })) {
  if (step === last) process.kill(process.pid, "SIGKILL");
}
console.log("restored");
