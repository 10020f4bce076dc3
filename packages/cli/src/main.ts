import { run } from "./program.js";

const ctrlC = new AbortController();
// The second Ctrl+C ends the process at once.
process.once("SIGINT", () => ctrlC.abort());

process.exitCode = await run(
  {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    interactive: process.stderr.isTTY === true,
    environment: process.env,
    signal: ctrlC.signal,
  },
  process.argv.slice(2),
);
