import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface Ended {
  readonly ok: boolean;
  /** Both output streams, as they came. */
  readonly output: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** Besides this process's own. Undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const running = new Set<ChildProcess>();
let over = false;

/** Runs a command to its end. Never rejects: a command that cannot be started has failed. */
export function run(command: string, args: readonly string[], { cwd, env = {} }: RunOptions): Promise<Ended> {
  if (over) return Promise.resolve({ ok: false, output: `${command} was not started: everything was ended.` });
  const chunks: Buffer[] = [];
  // A group of its own, so that a package manager can be ended with all that it has started.
  const options = { cwd, env: { ...process.env, ...env }, detached: true };
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", (error) => chunks.push(Buffer.from(`${error.message}\n`)));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      running.delete(child);
      resolve({ ok: code === 0, output: Buffer.concat(chunks).toString("utf8").trim() });
    });
  });
}

/** Runs a command as `run` does, and returns its output. A failure is an error with the whole output. */
export async function mustRun(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { ok, output } = await run(command, args, options);
  if (!ok) throw new Error(`${command} ${args.join(" ")}\n${output}`);
  return output;
}

/** Ends every command that still runs, with what it has started, and lets no other begin. */
export async function endRunning(): Promise<void> {
  over = true;
  const endings = [...running].map(async (child) => {
    if (child.pid === undefined) return;
    const closed = once(child, "close");
    process.kill(-child.pid, "SIGKILL");
    await closed;
  });
  await Promise.all(endings);
}
