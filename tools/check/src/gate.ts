import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

/** The result of a script of the root package.json. */
export interface GateResult {
  /** The words after `pnpm` in the command that runs this gate alone. */
  readonly script: string;
  readonly passed: boolean;
  readonly milliseconds: number;
  /** Both output streams, without colours, which some tools print even without a terminal. */
  readonly output: string;
}

/** Far longer than any gate takes on a slow machine. */
const longestMinutes = 30;

/** Runs a script to its end, or ends it. Never rejects: a gate that cannot be started or does not end in time counts as failed. */
export function runGate(script: string, root: string, minutes = longestMinutes): Promise<GateResult> {
  const started = performance.now();
  const chunks: Buffer[] = [];
  const child = spawn("pnpm", ["--silent", ...script.split(" ")], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: minutes * 60_000,
  });
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", (error) => chunks.push(Buffer.from(`${error.message}\n`)));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      const milliseconds = performance.now() - started;
      if (child.killed) chunks.push(Buffer.from(`\nThe gate was ended because it still ran after ${minutes} minutes.`));
      const text = Buffer.concat(chunks).toString("utf8");
      resolve({ script, passed: code === 0, milliseconds, output: stripVTControlCharacters(text).trimEnd() });
    });
  });
}
