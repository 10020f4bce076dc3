import type { LineWriter } from "./line-writer.js";

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
