import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { createFileKeyStore } from "../../../src/tokens/file-key-store.js";
import { createKeyRing } from "../../../src/tokens/key-ring.js";

// Opens the key ring of a file once another file exists, and prints its keys. Once a third one exists, sets its clock, rotates the keys
// and prints them again.
const [path = "", open = "", rotate = "", now = ""] = process.argv.slice(2);
const exists = async (file: string) => {
  while (!existsSync(file)) await setTimeout(1);
};
let time = 1_790_000_000_000;
console.log("ready");
await exists(open);
const ring = await createKeyRing({ store: createFileKeyStore(path), clock: { now: () => time } });
const print = () => console.log(JSON.stringify([Buffer.from(ring.hmacKey).toString("hex"), ring.jwks().keys]));
print();
await exists(rotate);
time = Number(now);
await ring.tick();
print();
