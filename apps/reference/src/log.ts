import { pino } from "pino";
import type { Settings } from "./settings.js";

/**
 * The log of the process: JSON lines on standard error, so that standard output holds only what is there to be read and
 * pasted. Written at once: the last line before the end is the one that matters.
 */
export function createLog(level: Settings["logLevel"]) {
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}
