/**
 * Loaded into the real program before it starts (`node --import`). While the file in HOLD_SIGNING exists, no token is
 * signed, so that a test can keep an exchange of a device code running. Each held call appends a line to the file.
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
