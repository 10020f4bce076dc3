import { redactLine } from "@platform-rpc/server/host";
import { pino } from "pino";
import type { Settings } from "../settings/settings.js";
import { openDescriptor } from "./descriptor.js";
import { createLineWriter, type LineWriter } from "./line-writer.js";

/**
 * Creates the log of the process: JSON lines on standard error, because standard output is for people. If the log cannot be
 * written, lines are lost, but the process is never delayed or ended. No field should contain a secret; one that does is replaced.
 */
export function createLog(
  level: Settings["logLevel"] = "info",
  output: LineWriter = createLineWriter(openDescriptor(2)),
) {
  const log = pino({ level, base: null, hooks: { streamWrite: redactLine } }, output);
  output.onRecovered((droppedLines) => log.error({ droppedLines }, "log lines were dropped"));
  return log;
}

/** Returns a writer that makes the JSON lines of the log readable for a person at a terminal, and then writes them to `output`. */
export async function createPrettyWriter(output: LineWriter): Promise<LineWriter> {
  // Only a terminal needs the module.
  const { default: pinoPretty } = await import("pino-pretty");
  const { NO_COLOR } = process.env;
  const pretty = pinoPretty.prettyFactory({
    colorize: NO_COLOR === undefined,
    translateTime: "SYS:HH:MM:ss",
  });
  return { ...output, write: (line) => output.write(pretty(line)) };
}
