import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

/** A program that runs. */
export interface RunningProgram {
  /** Sends a signal, and resolves when the program has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** The user who runs PostgreSQL when this process is root, because PostgreSQL refuses to run as root: `nobody`. */
export function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
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
    async end(signal) {
      process.off("exit", killWithThisProcess);
      child.kill(signal);
      await ended;
    },
  };
}

/**
 * Starts a program, as an unprivileged user if this process is root. That user keeps the right to read and search every
 * folder, because temporary folders and the folder of this repository are often open to root only.
 */
function spawnUnprivileged(program: string, args: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const user = unprivilegedUser();
  const env = { ...process.env, ...environment };
  const options: SpawnOptions = { cwd: "/", stdio: ["ignore", "pipe", "pipe"], env };
  if (user === undefined) return spawn(program, args, options);
  const rights = "+dac_read_search,+dac_override";
  const become = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", `--inh-caps=${rights}`];
  return spawn("setpriv", [...become, `--ambient-caps=${rights}`, program, ...args], options);
}

function collect(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk) => chunks.push(chunk));
  child.stderr?.on("data", (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
