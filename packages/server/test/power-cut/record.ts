import { execFile } from "node:child_process";
import { constants, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleOf } from "../../src/storage/sqlite/testing/bundle.js";
import { createMemoryFolder } from "../../src/storage/sqlite/testing/temporary-path.js";
import { type Files, marksFile, type Operation } from "./operation.js";
import { compileShim } from "./shim.js";

/** What a process did to the files of a folder. */
export interface Recording {
  readonly operations: readonly Operation[];
  /** The files after the process ended. */
  readonly after: Files;
  /** What the process printed. */
  readonly output: string;
}

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

/**
 * Parses the log of the shim. The folder contained `before` when the process started: those files are durable.
 *
 * @throws Error when a record is not understood: no operation is ignored.
 */
function parseLog(log: Buffer, folder: string, before: Files): Operation[] {
  const operations: Operation[] = [];
  const names = new Map<string, number>();
  const descriptors = new Map<number, number | "names" | "marks">();
  let files = 0;

  const name = (path: string): string => {
    if (posix.dirname(path) !== folder)
      throw new Error(`${path} is in a subfolder, which the recorder does not support`);
    return posix.basename(path);
  };
  const rename = (...changes: readonly (readonly [string, number | undefined])[]) => {
    operations.push({ kind: "names", names: new Map(changes) });
    for (const [changed, file] of changes) {
      if (file === undefined) names.delete(changed);
      else names.set(changed, file);
    }
  };
  const fileAt = (path: string): number => {
    const file = names.get(name(path));
    if (file === undefined) throw new Error(`${path} was not created under the recorder`);
    return file;
  };
  const target = (descriptor: number): number | "names" | "marks" => {
    const found = descriptors.get(descriptor);
    if (found === undefined) throw new Error(`descriptor ${descriptor} was not opened under the recorder`);
    return found;
  };
  const file = (descriptor: number): number => {
    const found = target(descriptor);
    if (typeof found === "string") throw new Error(`descriptor ${descriptor} is not one of a recorded file`);
    return found;
  };
  const open = (path: string, flags: number): number | "names" | "marks" => {
    if (path === folder) return "names";
    if (name(path) === marksFile) return "marks";
    if (!names.has(name(path))) {
      rename([name(path), files]);
      files += 1;
    } else if ((flags & constants.O_TRUNC) !== 0) operations.push({ kind: "truncate", file: fileAt(path), size: 0 });
    return fileAt(path);
  };

  for (const [existing, bytes] of before) {
    operations.push({ kind: "write", file: files, offset: 0, bytes }, { kind: "flush", of: files, failed: false });
    rename([existing, files]);
    files += 1;
  }
  operations.push({ kind: "flush", of: "names", failed: false });

  for (const { kind, first, second, payload } of records(log)) {
    const [from = "", to = ""] = payload.toString().split("\0");
    if (kind === "start") {
      // The descriptors of an earlier process are gone.
      descriptors.clear();
      operations.push({ kind });
    } else if (kind === "open") descriptors.set(first, open(from, second));
    else if (kind === "close") descriptors.delete(first);
    else if (kind === "truncate") operations.push({ kind, file: file(first), size: second });
    else if (kind === "unlink") rename([name(from), undefined]);
    else if (kind === "rename") rename([name(from), undefined], [name(to), fileAt(from)]);
    else if (kind === "link") rename([name(to), fileAt(from)]);
    else if (kind === "write" && target(first) === "marks") {
      for (const text of from.trimEnd().split("\n")) operations.push({ kind: "mark", text });
    } else if (kind === "write") operations.push({ kind, file: file(first), offset: second, bytes: payload });
    else if (kind === "flush") {
      const of = target(first);
      if (of !== "marks") operations.push({ kind, of, failed: second === 0 });
    } else throw new Error(`the recorder wrote an unknown record: ${kind}`);
  }
  return operations;
}

/** Splits a log into its records: a line "kind number number length", and a payload of that length. */
function* records(log: Buffer) {
  for (let at = 0; at < log.length; ) {
    const end = log.indexOf("\n", at);
    const [kind, first, second, length] = log.toString("latin1", at, end).split(" ");
    at = end + 1 + Number(length);
    yield { kind, first: Number(first), second: Number(second), payload: log.subarray(end + 1, at) };
  }
}
