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

/** Runs a script to its end. Never rejects: a gate that cannot be started counts as failed. */
export function runGate(script: string, root: string): Promise<GateResult> {
  const started = performance.now();
  const chunks: Buffer[] = [];
  const child = spawn("pnpm", ["--silent", ...script.split(" ")], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", (error) => chunks.push(Buffer.from(`${error.message}\n`)));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      const milliseconds = performance.now() - started;
      const text = Buffer.concat(chunks).toString("utf8");
      resolve({ script, passed: code === 0, milliseconds, output: stripVTControlCharacters(text).trimEnd() });
    });
  });
}
