import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";
import type { Environment } from "./environment.js";
import type { Order, SuiteName } from "./run-suite.js";
import type { StartedEnvironment } from "./start-environment.js";
import { startWorkerd, workerdPath } from "./start-workerd.js";
import type { Results } from "./test-runner.js";

/** A runtime that runs suites. */
export interface Runtime {
  /** The title of its tests. If the runtime is missing, also says why they are skipped. */
  readonly title: string;
  /** Never in CI, where the tests of a missing runtime fail. */
  readonly skip: boolean;
  readonly suites: readonly SuiteName[];
  run(environment: StartedEnvironment): Promise<Run>;
}

export interface Run {
  readonly results: Results;
  /** Everything that the program and the runtime printed. */
  readonly printed: string;
  /** The URLs that a browser requested. */
  readonly urls: readonly string[];
}

const { CI } = process.env;
const here = fileURLToPath(new URL(".", import.meta.url));

/** Bundles a program as an application does for its runtime. */
export async function bundle(contents: string, options: BuildOptions) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: here, loader: "ts" },
    bundle: true,
    write: false,
    metafile: true,
    target: "es2022",
    // Without the paths of this package, which lead to its source instead of what it publishes.
    tsconfigRaw: {},
    logLevel: "silent",
    ...options,
  });
  return { script: outputFiles?.[0]?.text ?? "", inputs: Object.values(metafile?.inputs ?? {}) };
}

export const forWorkers: BuildOptions = {
  format: "esm",
  conditions: ["workerd", "worker", "browser"],
  external: ["node:*"],
};

/** `otherwise` tells developers what to do when the program is missing. */
export function installed(name: string, path: string, otherwise: string): Pick<Runtime, "title" | "skip"> {
  if (existsSync(path)) return { title: name, skip: false };
  const skip = CI === undefined;
  return { title: `${name} (${skip ? "skipped" : "missing"}: nothing at ${path}; ${otherwise})`, skip };
}

/** The maintained versions of Node. 24 is the workspace's own; the others are packages for Linux on x64 only. */
export const nodes: readonly Runtime[] = [22, 24, 26].flatMap((version) => [
  node(version, "ES modules", "esm"),
  node(version, "CommonJS", "cjs"),
]);

/** `modules` names the format of the program. */
export function node(version: number, modules: string, format: "esm" | "cjs"): Runtime {
  const own = process.versions.node.startsWith(`${version}.`);
  const packaged = join(here, `../../../../tools/testbed/nodes/node_modules/node-${version}/bin/node`);
  const executable = own ? process.execPath : packaged;
  return {
    ...installed(`Node ${version}, ${modules}`, executable, "its package is for Linux on x64"),
    suites: ["everywhere"],
    async run(environment) {
      const folder = mkdtempSync(join(tmpdir(), "node-"));
      try {
        // Node resolves @platform-rpc/client itself, like an installed package.
        mkdirSync(join(folder, "node_modules/@platform-rpc"), { recursive: true });
        symlinkSync(join(here, "../.."), join(folder, "node_modules/@platform-rpc/client"));
        const program = `
          import { runSuite } from "./run-suite.js";
          runSuite(JSON.parse(process.env.ORDER)).then((results) => process.stdout.write("\\n" + JSON.stringify(results)));`;
        const { script } = await bundle(program, { format, platform: "node", packages: "external" });
        const file = join(folder, format === "esm" ? "program.mjs" : "program.cjs");
        writeFileSync(file, script);
        const runtime = { userAgent: `Node.js/${version}`, takesRedirectError: true };
        const env = { ORDER: JSON.stringify(orderOf("everywhere", environment, runtime)) };
        const { stdout, stderr } = await promisify(execFile)(executable, [file], { env });
        // The last line is the result.
        const printed = stdout.slice(0, stdout.lastIndexOf("\n"));
        return { results: JSON.parse(stdout.slice(printed.length)), printed: printed + stderr, urls: [] };
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}

/** The runtime of Cloudflare Workers, whose `fetch` does not support `redirect: "error"`. */
export const workerd: Runtime = {
  ...installed("workerd", workerdPath, "its package is for Linux, macOS and Windows"),
  suites: ["everywhere"],
  async run(environment) {
    const program = `
      import { runSuite } from "./run-suite.js";
      export default { fetch: async (request) => Response.json(await runSuite(await request.json())) };`;
    const worker = await startWorkerd((await bundle(program, forWorkers)).script);
    try {
      const runtime = { userAgent: "Cloudflare-Workers", takesRedirectError: false };
      const body = JSON.stringify(orderOf("everywhere", environment, runtime));
      const response = await fetch(worker.url, { method: "POST", body });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}\n${worker.printed()}`);
      return { results: await response.json(), printed: worker.printed(), urls: [] };
    } finally {
      await worker.stop();
    }
  },
};

export function orderOf(suite: SuiteName, environment: StartedEnvironment, runtime: Environment["runtime"]): Order {
  const { baseUrl, testUrl, redirectingUrl } = environment;
  return { suite, environment: { baseUrl, testUrl, redirectingUrl, runtime } };
}
