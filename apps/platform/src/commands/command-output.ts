import type { Writable } from "node:stream";
import { errorCode } from "@platform-rpc/front/errors";

/** Thrown when a command fails for a reason that the operator can fix. The message says how. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Writes lines to standard output. A reader such as `head` may end before everything is written. @throws CommandError */
export async function printLines(lines: readonly string[], output: Writable): Promise<void> {
  // The callback gets the error. Without a listener, the event of the same error would end the process.
  output.on("error", () => {});
  const error = await new Promise<unknown>((resolve) => output.write(`${lines.join("\n")}\n`, resolve));
  if (error && errorCode(error) !== "EPIPE") {
    throw writeErrorOf(error, "The output was not written to standard output.");
  }
}

/** Returns the error of a command if its output cannot be written. Every other error, such as one of reading, stays as it is. */
export function writeErrorOf(error: unknown, what: string): unknown {
  if (!(error instanceof Error && "syscall" in error && error.syscall === "write")) return error;
  return new CommandError(`${what} ${error.message}. Check that its disk has free space.`);
}
