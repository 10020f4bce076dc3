import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A program of this package, built and running as a process of its own. */
export interface Program {
  readonly pid: number;
  /** What it has printed. */
  readonly out: () => string;
  /** What it has logged or complained of. */
  readonly err: () => string;
  /** Resolves with its exit code once it has ended. */
  readonly ended: Promise<number | null>;
  /** Resolves once it has printed a text; rejects when it ends without. */
  printed(text: string): Promise<void>;
  /** Sends a signal. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal, and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Closes our end of the pipe of its standard error: a further write fails with EPIPE. */
  closeStderr(): void;
  /** Reads its standard error from now on, where it was not read yet. */
  readStderr(): void;
}

export interface ProgramOptions {
  /** Where its standard error goes: a pipe that is read (the default) or not, or a file descriptor. */
  readonly stderr?: "read" | "unread" | number;
  /** What runs the program, with its arguments: a command that becomes it. Default: nothing. */
  readonly under?: readonly string[];
  /** The arguments of the program. Default: none. */
  readonly args?: readonly string[];
}

const workspace = new URL("../../../../", import.meta.url);

/** The options of Node with which `pnpm start` and `pnpm demo` start a program. */
function nodeOptionsOf(program: string): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", workspace), "utf8"));
  const command: string = scripts[program === "main" ? "start" : "demo"];
  const options = /exec node (.*)apps\/reference\/dist\//.exec(command)?.[1] ?? "";
  return options.split(" ").filter((option) => option !== "");
}

/** Starts a built program for one test as its script does, with these variables alone, on free ports unless they say otherwise. */
export function runProgram(
  name: "main" | "demo",
  environment: Readonly<Record<string, string>>,
  { stderr = "read", under = [], args = [] }: ProgramOptions = {},
): Program {
  const script = fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
  const node = [process.execPath, ...nodeOptionsOf(name)];
  const [command = process.execPath, ...words] = [...under, ...node, script, ...args];
  const child: ChildProcess = spawn(command, words, {
    env: { PORT: "0", INTERNAL_PORT: "0", ...environment },
    stdio: ["ignore", "pipe", typeof stderr === "number" ? stderr : "pipe"],
  });
  onTestFinished(() => {
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
  // An unread pipe is never closed.
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

/** Starts the app and waits until it answers. */
export async function runApp(environment: Readonly<Record<string, string>>, options?: ProgramOptions) {
  const program = runProgram("main", environment, options);
  await program.printed("Ctrl+C");
  const url = (label: string) => new RegExp(`^ {2}${label} +(\\S+)`, "m").exec(program.out())?.[1] ?? "";
  return {
    ...program,
    publicUrl: url("public"),
    internalUrl: url("internal"),
    curlLines: () =>
      program
        .out()
        .split("\n")
        .filter((line) => line.startsWith("curl")),
  };
}
