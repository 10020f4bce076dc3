import {
  appendFileSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { appendFile, open } from "node:fs/promises";
import { join } from "node:path";
import { marksFile } from "./operation.js";

// Changes files of a folder in every way that the storage and its backups do, and flushes some.
const [folder = ""] = process.argv.slice(2);
const at = (name: string) => join(folder, name);

writeFileSync(at("written"), "once");
writeFileSync(at("written"), "again");
appendFileSync(at("written"), " and appended");
await appendFile(at("written"), " twice");
const file = openSync(at("placed"), "w+");
writeSync(file, "far", 5000);
writeSync(file, "near", 10);
fsyncSync(file);
writeSync(file, "near the end", 4000);
await using handle = await open(at("placed"), "r+");
await handle.truncate(4500);
await handle.datasync();
copyFileSync(at("placed"), at("copied"), constants.COPYFILE_FICLONE);
truncateSync(at("copied"), 4005);
linkSync(at("copied"), at("linked"));
renameSync(at("copied"), at("renamed"));
writeFileSync(at("renamed"), "through the other name");
unlinkSync(at("linked"));
writeFileSync(at("removed"), "");
rmSync(at("removed"));
rmSync(at("missing"), { force: true });
fsyncSync(openSync(folder, "r"));
appendFileSync(at(marksFile), "a mark\n");
Object.assign(process.env, { POWER_CUT_FAILED_FLUSHES: "2-2" });
for (let flush = 1; flush <= 3; flush += 1) {
  try {
    fsyncSync(file);
  } catch (error) {
    appendFileSync(at(marksFile), `flush ${flush}: ${error instanceof Error && "code" in error && error.code}\n`);
  }
}
