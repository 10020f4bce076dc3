import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface Ended {
  readonly ok: boolean;
  /** Both output streams, in order of arrival. */
  readonly output: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** Variables to add to this process's environment. Undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const running = new Set<ChildProcess>();
let over = false;

/** Runs a command to its end. Never rejects: a command that cannot be started counts as failed. */
export function run(command: string, args: readonly string[], { cwd, env = {} }: RunOptions): Promise<Ended> {
  if (over) return Promise.resolve({ ok: false, output: `${command} was not started because the program is ending.` });
  const chunks: Buffer[] = [];
  // A new process group, so that a package manager can be ended together with its children.
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

/** Runs a command and returns its output. @throws Error with the whole output when it fails. */
export async function mustRun(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { ok, output } = await run(command, args, options);
  if (!ok) throw new Error(`${command} ${args.join(" ")}\n${output}`);
  return output;
}

/** Ends every running command and its children, and prevents further ones from starting. */
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
