import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Contract } from "../model/contract.ts";
import { type Finding, failure } from "../model/finding.ts";
import { readImage } from "../model/read-image.ts";

const ownBinaries = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

const buf = findBuf();

interface BufResult {
  readonly ok: boolean;
  /** What buf wrote to standard output: an image, a diff, or one finding a line. */
  readonly output: Buffer;
  /** Everything that buf printed, as text. */
  readonly report: string;
}

/**
 * Runs the pinned buf on the workspace at `root`, so that its buf.yaml applies. Plugins are those of this package, and run on
 * this process's own Node. `input` is an image that it reads. Rejects when buf cannot be started.
 */
export async function startBuf(root: string, args: readonly string[], input?: Uint8Array): Promise<BufResult> {
  const { PATH = "" } = process.env;
  const paths = [ownBinaries, dirname(process.execPath), PATH].join(delimiter);
  // Each run is short and needs less than 100 MB, so collecting garbage would only take a third more CPU time.
  const env = { ...process.env, PATH: paths, GOGC: "off" };
  const child = spawn(buf, args, { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] });
  // A buf that fails early does not read it; what went wrong is in its output.
  child.stdin.on("error", () => undefined).end(input);
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

/** Makes buf print each finding as one line of JSON. */
export const asJson = ["--error-format", "json"];

const annotation = z.object({
  path: z.string().default("buf.yaml"),
  start_line: z.number().default(1),
  start_column: z.number().default(1),
  type: z.string(),
  message: z.string(),
});

/** Returns buf's findings, with the ids of its rules. @throws Error with buf's output when it failed without findings. */
export function bufFindings(result: BufResult): readonly Finding[] {
  if (result.ok) return [];
  const findings = result.report.split("\n").flatMap((line) => {
    const parsed = annotation.safeParse(jsonOrNothing(line));
    if (!parsed.success) return [];
    const { path, start_line, start_column, type, message } = parsed.data;
    return failure(`buf:${type}`, { file: path, line: start_line, column: start_column }, message);
  });
  if (findings.length === 0) throw new Error(`buf failed without findings: ${result.report}`);
  return findings;
}

function jsonOrNothing(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Builds everything under proto/ with buf. Returns the findings of buf when it cannot. */
export async function buildContract(root: string): Promise<Contract | { readonly faults: readonly Finding[] }> {
  const built = await startBuf(root, ["build", "-o", "-#format=binpb", ...asJson]);
  return built.ok ? readImage(built.output) : { faults: bufFindings(built) };
}
