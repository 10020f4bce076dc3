import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleOf } from "../../src/storage/sqlite/testing/bundle.js";
import { createMemoryFolder } from "../../src/storage/sqlite/testing/memory-folder.js";
import { type Files, marksFile, type Operation } from "./operation.js";
import { parseLog } from "./parse-log.js";
import { compileShim } from "./shim.js";

/** What a process did to the files of a folder. */
export interface Recording {
  readonly operations: readonly Operation[];
  /** The files after the process ended. */
  readonly after: Files;
  /** What the process printed. */
  readonly output: string;
}

/** What is recorded. */
export interface RecordOptions {
  /** The TypeScript module that runs in each process: a path relative to this folder. Its first argument is the recorded folder. */
  readonly module: string;
  /** The further arguments of each process. The processes run one after another. Default: one process without any. */
  readonly processes?: readonly (readonly string[])[];
  /** The files in the folder when the first process starts. They are durable. Default: none. */
  readonly before?: Files;
}

/**
 * Runs a module in other processes and records their operations on the files of a folder. A process may kill itself.
 *
 * @throws Error when a process fails.
 */
export async function record({ module, processes = [[]], before = new Map() }: RecordOptions): Promise<Recording> {
  const root = realpathSync(createMemoryFolder());
  try {
    const folder = join(root, "recorded");
    const log = join(root, "log");
    mkdirSync(folder);
    writeFiles(folder, before);
    const env = compileShim(root)({ folder, log });
    const program = fileURLToPath(bundleOf(new URL(module, import.meta.url)));
    let output = "";
    for (const args of processes) output += await run([program, folder, ...args], env);
    const operations = parseLog(readFileSync(log), folder, before);
    return { operations, after: readFiles(folder), output };
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Runs Node. Resolves with its output when it has ended successfully or has killed itself. */
function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env }, (error, output) => {
      if (error === null || error.signal === "SIGKILL") resolve(output);
      else reject(error);
    });
  });
}

/** Reads all files of a folder except the marks. */
export function readFiles(folder: string): Files {
  const names = readdirSync(folder).filter((name) => name !== marksFile);
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

export function writeFiles(folder: string, files: Files): void {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 });
}
