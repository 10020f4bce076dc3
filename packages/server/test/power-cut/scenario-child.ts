import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { refOf, type Storage } from "../../src/ports/storage.js";
import { createSqliteStorage } from "../../src/storage/sqlite/create-sqlite-storage.js";
import { openDatabase } from "../../src/storage/sqlite/database/open-database.js";
import { createStorageOnDatabase } from "../../src/storage/sqlite/storage-on-database.js";
import { endThread } from "../../src/storage/sqlite/testing/end-thread.js";
import { openInThread } from "../../src/storage/sqlite/testing/storages.js";
import { openNextVersion } from "./open-next-version.js";
import { marksFile } from "./operation.js";
import { createWorkload, kept } from "./workload.js";

// Runs the steps of a scenario, one in each argument. Prints the result of each open, check and close.
const [folder = "", ...steps] = process.argv.slice(2);
const path = join(folder, "platform.db");
const { createVaults, run } = createWorkload((mark) => {
  appendFileSync(join(folder, marksFile), `${JSON.stringify(mark)}\n`);
});
let storage: Storage | undefined;

/** Opens a storage that moves its log into the database file after 64 KiB, and then overwrites it. */
function openWithSmallLog(pragma = ""): Storage {
  const database = openDatabase(path);
  database.exec(pragma);
  return createStorageOnDatabase(database, { checkpointPages: 64 });
}

function opened(): Storage {
  if (storage === undefined) throw new Error("the scenario has not opened a storage");
  return storage;
}

/** Ends the storage's thread between two commits of the calls that are being made. */
async function endThreadLater(): Promise<void> {
  // It fails while flushes have failed a moment ago.
  for (let batch = 0; batch < 3; batch += 1)
    await opened()
      .check()
      .catch(() => {});
  await opened()
    .transact(refOf(), endThread())
    .catch(({ reason }) => console.log(`end-thread: ${reason}`));
}

async function print(step: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
    console.log(`${step}: ok`);
  } catch (error) {
    console.log(`${step}: ${error instanceof Error ? error.message : error}`);
  }
}

for (const step of steps) {
  const [verb, ...words] = step.split(" ");
  if (verb === "open") {
    await print(verb, () => {
      storage = createSqliteStorage({ path });
    });
  } else if (verb === "open-small") {
    await print(verb, () => {
      storage = openWithSmallLog(words.join(" "));
    });
  } else if (verb === "open-next-version") {
    await print(verb, () => {
      storage = openNextVersion(path);
    });
  } else if (verb === "open-thread") {
    await print(verb, async () => {
      storage = await openInThread({ path });
    });
  } else if (verb === "end-thread")
    await Promise.all([run(opened(), words.join("-"), Number(words.at(-1))), endThreadLater()]);
  else if (verb === "vaults") await createVaults(opened());
  else if (verb === "run-kept") await run(opened(), words.join("-"), Number(words.at(-1)), [kept]);
  else if (verb === "run") await run(opened(), words.join("-"), Number(words.at(-1)));
  else if (verb === "fail") Object.assign(process.env, { POWER_CUT_FAILED_FLUSHES: words.join(" ") });
  else if (verb === "check") await print(verb, () => opened().check());
  else if (verb === "close") await print(verb, () => opened().close());
  else if (verb === "kill") process.kill(process.pid, "SIGKILL");
  else throw new Error(`unknown step: ${step}`);
}
