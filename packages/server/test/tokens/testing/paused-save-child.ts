import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { createFileKeyStore } from "../../../src/tokens/file-key-store.js";

// Saves a key file, and stops between writing its temporary file and giving it the name of the key file, until it is killed.
const [path = ""] = process.argv.slice(2);
const pause = () => {
  console.log("written");
  return new Promise<never>(() => {
    setInterval(() => {}, 1000);
  });
};
Object.assign(promises, { link: pause, rename: pause });
syncBuiltinESMExports();
const store = createFileKeyStore(path);
const before = await store.load();
await store.save({ version: 1, hmacKey: Buffer.alloc(32, 8).toString("base64url"), keys: [] }, before);
