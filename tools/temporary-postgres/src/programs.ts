import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

/** A program that runs. */
export interface RunningProgram {
  /** Whether it has not ended yet. */
  readonly running: boolean;
  /** Sends a signal, and resolves when the program has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Runs a program to its end. @throws Error with its output when it fails. */
export async function runToEnd(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawnUnprivileged(program, args, environment);
  const output = collect(child);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} failed:\n${output()}`);
}

/** Starts a program. Resolves when its output matches. @throws Error with its output when it ends before. */
export async function startProgram(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  ready: RegExp,
): Promise<RunningProgram> {
  const child = spawnUnprivileged(program, args, environment);
  const output = collect(child);
  const ended = once(child, "close");
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", () => {
      if (ready.test(output())) resolve();
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(`${program} ended at its start:\n${output()}`)));
  });
  child.stderr?.removeAllListeners("data").resume();
  const killWithThisProcess = () => child.kill("SIGKILL");
  process.once("exit", killWithThisProcess);
  return {
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    async end(signal) {
      process.off("exit", killWithThisProcess);
      child.kill(signal);
      await ended;
    },
  };
}

/**
 * Starts a program. PostgreSQL refuses to run as root. If this process is root, the program therefore runs in a user namespace in
 * which the same user is `nobody`: it keeps access to temporary folders and to this repository, which are often open to root only.
 */
function spawnUnprivileged(program: string, args: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const env = { ...process.env, ...environment };
  const options: SpawnOptions = { cwd: "/", stdio: ["ignore", "pipe", "pipe"], env };
  if (process.getuid?.() !== 0) return spawn(program, args, options);
  return spawn("unshare", ["--user", "--map-user=65534", "--map-group=65534", program, ...args], options);
}

function collect(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk) => chunks.push(chunk));
  child.stderr?.on("data", (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
