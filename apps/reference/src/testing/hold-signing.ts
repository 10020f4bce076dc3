/**
 * Loaded into the real program before it starts (`node --import`). While the file that HOLD_SIGNING names exists, no token
 * is signed: an exchange of a device code then runs for as long as a test wants. Each held call adds a line to the file.
 */
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const { HOLD_SIGNING: file = "" } = process.env;
const { sign } = SubtleCrypto.prototype;

SubtleCrypto.prototype.sign = async function (...parameters) {
  if (existsSync(file)) appendFileSync(file, "held\n");
  while (existsSync(file)) await setTimeout(10);
  return sign.apply(this, parameters);
};
