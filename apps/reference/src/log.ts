import { pino } from "pino";
import { openDescriptor } from "./descriptor.js";
import { createLineWriter, type LineWriter } from "./line-writer.js";
import type { Settings } from "./settings.js";

/**
 * Creates the log of the process: JSON lines on standard error, because standard output is for people. If the log cannot be
 * written, lines are lost, but the process is never delayed or ended.
 */
export function createLog(
  level: Settings["logLevel"] = "info",
  output: LineWriter = createLineWriter(openDescriptor(2)),
) {
  const log = pino({ level, base: null }, output);
  output.onRecovered((droppedLines) => log.error({ droppedLines }, "log lines were dropped"));
  return log;
}
