import { spawn, spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const ownBinaries = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

export interface BufResult {
  readonly ok: boolean;
  /** What buf wrote to standard output: an image, a diff, or one finding a line. */
  readonly output: Buffer;
  /** Everything that buf said, for a person. */
  readonly report: string;
}

/**
 * Runs the pinned buf on the workspace at `root`, so that its buf.yaml applies.
 *
 * buf and its plugins are looked up in `plugins` and then in this package, and run on this process's own Node: it makes
 * no difference from where, or by what, the tool was started.
 */
export function runBuf(root: string, args: readonly string[]): BufResult {
  const { error, status, stdout, stderr } = spawnSync("buf", args, {
    cwd: root,
    env: environment([]),
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return { ok: status === 0, output: stdout, report: `${stdout}${stderr}`.trim() };
}

/** The same, beside whatever else is running. Rejects when buf cannot be started. */
export async function startBuf(
  root: string,
  args: readonly string[],
  plugins: readonly string[] = [],
): Promise<BufResult> {
  const child = spawn("buf", args, { cwd: root, env: environment(plugins), stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  const ok = await new Promise<boolean>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve(status === 0));
  });
  const stdout = Buffer.concat(output);
  return { ok, output: stdout, report: `${stdout}${Buffer.concat(complaints)}`.trim() };
}

function environment(plugins: readonly string[]): NodeJS.ProcessEnv {
  const { PATH = "" } = process.env;
  return { ...process.env, PATH: [...plugins, ownBinaries, dirname(process.execPath), PATH].join(delimiter) };
}
