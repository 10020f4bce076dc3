import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { run } from "./program.js";
import { exitCode } from "./terminal/explain.js";
import { readHiddenLine } from "./terminal/hidden-input.js";
import { readShownLine } from "./terminal/shown-line.js";

const ctrlC = new AbortController();
const sleep = (ms: number) => setTimeout(ms, undefined, ctrlC).catch(() => undefined);
// The second Ctrl+C ends the process at once.
process.once("SIGINT", () => ctrlC.abort());
// Service managers end a broker with it.
process.once("SIGTERM", () => ctrlC.abort());

process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  // `head` closes the pipe when it has read enough.
  if (code === "EPIPE") process.exit(exitCode.done);
  process.stderr.write(`Standard output cannot be written (${code}).\n`);
  process.exit(exitCode.failed);
});

// Without a listener, an error that nobody can read would end the process.
process.stderr.on("error", () => {});

/** Runs the program in this process, as `platform` or as `platform-broker`, the broker of a team. */
export async function start(words: readonly string[], ofTeam = false): Promise<void> {
  process.exitCode = await run(
    {
      out: (text) => process.stdout.write(text),
      outBytes: (bytes) => process.stdout.write(bytes),
      err: (text) => process.stderr.write(text),
      interactive: process.stderr.isTTY === true,
      isOutTerminal: process.stdout.isTTY === true,
      readInput: () => buffer(process.stdin),
      readLine: (question) =>
        readShownLine(question, {
          input: process.stdin,
          output: process.stderr,
          signal: ctrlC.signal,
          cancel: () => ctrlC.abort(),
        }),
      readHidden: process.stdin.isTTY
        ? (question) =>
            readHiddenLine(process.stdin, question, {
              write: (part) => process.stderr.write(part),
              cancel: () => ctrlC.abort(),
              sleep,
            })
        : undefined,
      main: process.argv[1] ?? "",
      environment: process.env,
      signal: ctrlC.signal,
      sleep,
    },
    words,
    ofTeam,
  );
}
