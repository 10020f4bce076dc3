import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

/** A program that runs as a child process. It ends with this process at the latest. */
export interface RunningProgram {
  readonly pid: number;
  readonly running: boolean;
  /** Resolves with its exit code when it ends. */
  readonly ended: Promise<number | null>;
  out(): string;
  /** Returns its standard error so far. */
  err(): string;
  /** Resolves once its output matches. @throws Error with its output when it ends before. */
  printed(text: string | RegExp): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal. Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Keeps no more output. */
  forgetOutput(): void;
}

export interface ProgramOptions {
  /** Its whole environment. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** The destination of its standard error: a pipe that is read (the default) or not, nothing, or a file descriptor. */
  readonly stderr?: "read" | "unread" | "ignore" | "inherit" | number;
  /** A file to which both outputs are appended. Default: they are read. */
  readonly log?: string;
  /** Its folder. Default: that of this process. */
  readonly cwd?: string;
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function startProgram(command: readonly string[], options: ProgramOptions = {}): RunningProgram {
  const { env, stderr = "read", log, cwd } = options;
  const [program = "", ...args] = command;
  const file = log === undefined ? undefined : openSync(log, "a");
  const stdio: SpawnOptions["stdio"] = ["ignore", file ?? "pipe", file ?? (isPipe(stderr) ? "pipe" : stderr)];
  const child = spawn(program, args, { stdio, ...(env && { env }), ...(cwd !== undefined && { cwd }) });
  if (file !== undefined) closeSync(file);
  running.add(child);
  child.once("exit", () => running.delete(child));

  const output = { out: "", err: "" };
  let keeps = true;
  const noticing = new Set<() => void>();
  const read = (from: "out" | "err", stream: ChildProcess["stdout"]) =>
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      if (keeps) output[from] += chunk;
      for (const notice of noticing) notice();
    });
  read("out", child.stdout);
  if (stderr === "read") read("err", child.stderr);
  // An unread pipe never closes.
  const ended = once(child, stderr === "unread" ? "exit" : "close").then(() => child.exitCode);
  // Whoever waits for it learns of an error, such as a program that does not exist.
  ended.catch(() => running.delete(child));

  return {
    pid: child.pid ?? 0,
    get running() {
      return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    },
    ended,
    out: () => output.out,
    err: () => output.err,
    printed(text) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = [output.out, output.err].some((each) =>
            typeof text === "string" ? each.includes(text) : text.test(each),
          );
          if (!found) return;
          noticing.delete(look);
          resolve();
        };
        noticing.add(look);
        look();
        ended.then(() => {
          look();
          reject(new Error(`${command.join(" ")} ended early:\n${output.out}${output.err}`));
        }, reject);
      });
    },
    signal: (signal) => void child.kill(signal),
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
    forgetOutput() {
      keeps = false;
      output.out = "";
      output.err = "";
    },
  };
}

function isPipe(stderr: ProgramOptions["stderr"]): stderr is "read" | "unread" {
  return stderr === "read" || stderr === "unread";
}

/** Runs a program to its end. @throws Error with its output when it fails. */
export async function runToEnd(command: readonly string[], options?: ProgramOptions): Promise<void> {
  const program = startProgram(command, options);
  if ((await program.ended) !== 0) throw new Error(`${command[0]} failed:\n${program.out()}${program.err()}`);
}

export interface RestartableProgram {
  start(): void;
  /** Sends SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>;
}

/** Creates a program whose outputs are appended to a file. */
export function createRestartable(command: readonly string[], options: ProgramOptions): RestartableProgram {
  let current: RunningProgram | undefined;
  return {
    start() {
      current = startProgram(command, options);
    },
    async kill() {
      await current?.stop("SIGKILL");
    },
  };
}

/**
 * Returns a command that runs another one without the rights of root, which servers such as PostgreSQL refuse. If this process is root,
 * the program runs in a user namespace in which the same user is `nobody`: it keeps access to temporary folders and to this repository,
 * which are often open to root only.
 */
export function unprivileged(command: readonly string[]): readonly string[] {
  if (process.getuid?.() !== 0) return command;
  return ["unshare", "--user", "--map-user=65534", "--map-group=65534", ...command];
}
