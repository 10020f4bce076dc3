import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const ownBinaries = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

const buf = findBuf();

export interface BufResult {
  readonly ok: boolean;
  /** What buf wrote to standard output: an image, a diff, or one finding a line. */
  readonly output: Buffer;
  /** Everything that buf printed, as text. */
  readonly report: string;
}

/**
 * Runs the pinned buf on the workspace at `root`, so that its buf.yaml applies. Plugins are those of this package, and run on
 * this process's own Node. Rejects when buf cannot be started.
 */
export async function startBuf(root: string, args: readonly string[]): Promise<BufResult> {
  const { PATH = "" } = process.env;
  const paths = [ownBinaries, dirname(process.execPath), PATH].join(delimiter);
  // Each run is short and needs less than 100 MB, so collecting garbage would only take a third more CPU time.
  const env = { ...process.env, PATH: paths, GOGC: "off" };
  const child = spawn(buf, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const ok = await new Promise<boolean>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve(status === 0));
  });
  const stdout = Buffer.concat(output);
  return { ok, output: stdout, report: `${stdout}${Buffer.concat(errors)}`.trim() };
}

/** Returns the path of the native binary. The script of @bufbuild/buf would start Node for each run, only to find it. */
function findBuf(): string {
  const { platform, arch } = process;
  const name = `@bufbuild/buf-${platform}-${platform === "linux" && arch === "arm64" ? "aarch64" : arch}`;
  const installed = createRequire(import.meta.resolve("@bufbuild/buf/package.json"));
  try {
    return installed.resolve(`${name}/bin/buf`);
  } catch {
    return "buf";
  }
}
