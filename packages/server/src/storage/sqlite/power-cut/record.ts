import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { childArguments } from "../testing/child-process.js";
import { type Files, marksFile, type Operation } from "./operation.js";
import { parseLog } from "./parse-log.js";
import { compileShim, type ShimOptions } from "./shim.js";

/** What a process did to the files of a folder. */
export interface Recording {
  readonly operations: readonly Operation[];
  /** The files after the process ended. */
  readonly after: Files;
}

/** What is recorded. */
export interface RecordOptions extends Omit<ShimOptions, "folder" | "log"> {
  /** The TypeScript module that runs in the process: a path relative to this folder. It gets the folder as an argument. */
  readonly module: string;
  /** More arguments. */
  readonly args?: readonly string[];
  /** The files in the folder when the process starts. Default: none. */
  readonly before?: Files;
}

/** Runs a module in another process and records its operations on the files of a folder. @throws Error when it fails. */
export async function record({ module, args = [], before = new Map(), ...shim }: RecordOptions): Promise<Recording> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "power-cut-")));
  try {
    const folder = join(root, "recorded");
    const log = join(root, "log");
    mkdirSync(folder);
    writeFiles(folder, before);
    const env = compileShim(root)({ ...shim, folder, log });
    await promisify(execFile)(process.execPath, [...childArguments(`../power-cut/${module}`), folder, ...args], {
      env,
    });
    const after = readFiles(folder);
    return { operations: parseLog(readFileSync(log), folder, before), after };
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Reads all files of a folder but the marks. */
export function readFiles(folder: string): Files {
  const names = readdirSync(folder).filter((name) => name !== marksFile);
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

export function writeFiles(folder: string, files: Files): void {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 });
}
