import { setTimeout } from "node:timers/promises";
import { createFileKeyStore } from "../file-key-store.js";
import { createKeyRing } from "../key-ring.js";

// Opens the key ring of a file at a given time, and prints its keys. At another time, rotates them and prints them again.
const [path = "", ...times] = process.argv.slice(2);
const [openAt = 0, tickAt = 0, now = 0] = times.map(Number);
let time = 1_790_000_000_000;
await setTimeout(Math.max(0, openAt - Date.now()));
const ring = await createKeyRing({ store: createFileKeyStore(path), clock: { now: () => time } });
const print = () => console.log(JSON.stringify([Buffer.from(ring.hmacKey).toString("hex"), ring.jwks().keys]));
print();
await setTimeout(Math.max(0, tickAt - Date.now()));
time = now;
await ring.tick();
print();
