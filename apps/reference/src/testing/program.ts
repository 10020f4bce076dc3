import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A built program of this package that runs as a child process. */
export interface Program {
  readonly pid: number;
  /** Returns its standard output so far. */
  readonly out: () => string;
  /** Returns its standard error so far. */
  readonly err: () => string;
  /** Resolves with its exit code when it ends. */
  readonly ended: Promise<number | null>;
  /** Resolves once it has printed the text; rejects when it ends before. */
  printed(text: string): Promise<void>;
  /** Sends a signal. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal, and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Closes the read end of its standard error: further writes fail with EPIPE. */
  closeStderr(): void;
  /** Starts to read its standard error, if that is not read yet. */
  readStderr(): void;
}

export interface ProgramOptions {
  /** The destination of its standard error: a pipe that is read (the default) or not, or a file descriptor. */
  readonly stderr?: "read" | "unread" | number;
  /** A command, with arguments, that executes the program. Default: none. */
  readonly under?: readonly string[];
  /** The arguments of the program. Default: none. */
  readonly args?: readonly string[];
  /** The folder of the built programs. Default: `dist` of this package. */
  readonly folder?: string;
  /** Registers a function that ends the program. Default: calls it after the test. */
  readonly atEnd?: (end: () => void) => void;
}

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const workspace = new URL("../../../../", import.meta.url);

/** The cache of compiled code that the tests share: with it, a program starts in three quarters of the CPU time. */
const { NODE_COMPILE_CACHE } = process.env;

/** Returns the Node options with which `pnpm start` and `pnpm demo` start a program. */
function nodeOptionsOf(program: string): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", workspace), "utf8"));
  const command: string = scripts[program === "main" ? "start" : "demo"];
  const options = /exec node (.*)apps\/reference\/dist\//.exec(command)?.[1] ?? "";
  return options.split(" ").filter((option) => option !== "");
}

/** Starts a built program, as its script does. Passes it `environment`, with free ports by default. */
export function runProgram(
  name: "main" | "demo",
  environment: Readonly<Record<string, string>>,
  { stderr = "read", under = [], args = [], folder = dist, atEnd = onTestFinished }: ProgramOptions = {},
): Program {
  const script = join(folder, `${name}.js`);
  const node = [process.execPath, ...nodeOptionsOf(name)];
  const [command = process.execPath, ...words] = [...under, ...node, script, ...args];
  const child: ChildProcess = spawn(command, words, {
    env: { PORT: "0", INTERNAL_PORT: "0", ACCOUNTS_PORT: "0", NODE_COMPILE_CACHE, ...environment },
    stdio: ["ignore", "pipe", typeof stderr === "number" ? stderr : "pipe"],
  });
  atEnd(() => {
    child.kill("SIGKILL");
  });
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  const readStderr = () => {
    child.stderr?.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
  };
  if (stderr === "read") readStderr();
  // An unread pipe never closes.
  const ended = once(child, stderr === "unread" ? "exit" : "close").then(() => child.exitCode);
  return {
    pid: child.pid ?? 0,
    out: () => out,
    err: () => err,
    ended,
    async printed(text) {
      while (!out.includes(text)) {
        const stillRuns = await Promise.race([once(child.stdout ?? child, "data"), ended.then(() => undefined)]);
        if (stillRuns === undefined && !out.includes(text)) throw new Error(`the program ended early: ${err}`);
      }
    },
    signal(signal) {
      child.kill(signal);
    },
    readStderr,
    closeStderr() {
      child.stderr?.destroy();
    },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts the app and waits until it is ready. */
export async function runApp(environment: Readonly<Record<string, string>>, options?: ProgramOptions) {
  const program = runProgram("main", environment, options);
  await program.printed("Ctrl+C");
  const url = (label: string) => new RegExp(`^ {2}${label} +(\\S+)`, "m").exec(program.out())?.[1] ?? "";
  return {
    ...program,
    publicUrl: url("public"),
    internalUrl: url("internal"),
    accountsUrl: url("accounts"),
    curlLines: () =>
      program
        .out()
        .split("\n")
        .filter((line) => line.startsWith("curl")),
  };
}
