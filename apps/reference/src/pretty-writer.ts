import type { LineWriter } from "./line-writer.js";

/** Returns a writer that makes the JSON lines of the log readable for a person at a terminal, and then writes them to `output`. */
export async function createPrettyWriter(output: LineWriter): Promise<LineWriter> {
  // Only a terminal needs the module.
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({ colorize: process.env.NO_COLOR === undefined, translateTime: "SYS:HH:MM:ss" });
  return { ...output, write: (line) => output.write(pretty(line)) };
}
