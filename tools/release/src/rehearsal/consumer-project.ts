import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { mustRun } from "../run.ts";
import type { Trial } from "./compatibility.ts";
import type { Consumer } from "./consumers.ts";
import { findingsOf, onlyCopyOf } from "./installed-packages.ts";

/** The npm package with Node binaries for this machine. */
const nodePackage = `node-${process.platform}-${process.arch}`;

/** Returns the major version of the Node that a project installs; undefined when it installs none. */
function nodeMajorOf({ runs }: Pick<Consumer, "runs">): string | undefined {
  return /^node (\d+)$/.exec(runs)?.[1];
}

/** Returns the package.json of a project. */
function manifestOf(consumer: Consumer) {
  const { ours, tag, installs, typescript } = consumer;
  const dependencies = { ...installs, ...Object.fromEntries(ours.map((name) => [name, tag])) };
  const major = nodeMajorOf(consumer);
  const node = major === undefined ? {} : { [nodePackage]: major };
  const devDependencies = { typescript, "@types/node": "24", ...node };
  return { name: "consumer", private: true, type: "module", dependencies, devDependencies };
}

/** Returns the tsconfig.json of a project. */
function compilerOptionsOf({ libraries, resolution }: Consumer) {
  const module = resolution === "bundler" ? "esnext" : resolution;
  return {
    compilerOptions: {
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable"],
      types: ["node"],
      module,
      moduleResolution: resolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: libraries === "trusted",
      outDir: "out",
      rootDir: ".",
    },
    include: ["*.ts", "*.cts"],
  };
}

/** Returns the environment of a project outside the workspace: this Node, the registry, and no settings of the workspace. */
function consumerEnvironment(registry: string): Readonly<Record<string, string | undefined>> {
  const inherited = Object.keys(process.env).filter((name) => /^(npm|pnpm|NODE)_/i.test(name));
  const { PATH = "" } = process.env;
  return {
    ...Object.fromEntries(inherited.map((name) => [name, undefined])),
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    NO_PROXY: new URL(registry).hostname,
    npm_config_registry: registry,
    pnpm_config_registry: registry,
    // The rehearsed packages are seconds old.
    pnpm_config_minimum_release_age: "0",
    npm_config_update_notifier: "false",
  };
}

export interface ConsumerResult {
  readonly consumer: Consumer;
  /** The installed packages, such as "connect 2.2.0". */
  readonly versions: readonly string[];
  readonly seconds: number;
}

/** Creates the project, installs its dependencies, type-checks it and runs its scenario. Rejects at the first failure. */
export async function runConsumer(
  { consumer, app, workspace }: Trial,
  folder: string,
  registry: string,
): Promise<ConsumerResult> {
  const started = performance.now();
  mkdirSync(folder, { recursive: true });
  cpSync(join(workspace, "tools/release/consumers", consumer.files), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifestOf(consumer), undefined, 2));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(compilerOptionsOf(consumer), undefined, 2));
  const env = { ...consumerEnvironment(registry), FIXTURE: JSON.stringify(await app.createFixture()) };

  const install = { npm: ["install", "--no-audit", "--no-fund"], pnpm: ["install", "--no-frozen-lockfile"] };
  await mustRun(consumer.manager, install[consumer.manager], { cwd: folder, env });
  writeReadmeExamples(consumer, folder);
  await mustRun(join(folder, "node_modules/.bin/tsc"), ["-p", "."], { cwd: folder, env });
  await runMain(consumer, folder, env);
  return { consumer, versions: inspect(consumer, folder), seconds: (performance.now() - started) / 1000 };
}

/** The entries that need a package which a consumer may not have installed. */
const optionalPeers = {
  "@platform-rpc/client/undici": "undici",
  "@platform-rpc/client/session": "oauth4webapi",
  "@platform-rpc/server/testing": "vitest",
};

/** What buf generates of the contract in the README of the server: its examples import it. */
const generatedForExamples = fileURLToPath(new URL("../../../../packages/server/examples/gen", import.meta.url));

/**
 * Writes the examples in the installed packages' READMEs as files, so that they are type-checked too: with the name that the README gives
 * one, because others may import it. An example of an entry with an optional peer dependency is written only for a consumer that
 * installs it.
 */
function writeReadmeExamples({ ours, installs }: Consumer, folder: string): void {
  for (const name of ours) {
    const readme = readFileSync(join(folder, "node_modules", name, "README.md"), "utf8");
    const blocks = [...readme.matchAll(/(?:^<!-- examples\/(\S+) -->\n)?^```ts\n(.*?)^```$/gms)];
    for (const [index, [, file = `readme-${name.split("/")[1]}-${index}.ts`, code = ""]] of blocks.entries()) {
      const missing = Object.entries(optionalPeers).some(
        ([entry, peer]) => code.includes(entry) && !(peer in installs),
      );
      if (missing) continue;
      if (code.includes('from "./gen/')) cpSync(generatedForExamples, join(folder, "gen"), { recursive: true });
      writeFileSync(join(folder, file), code);
    }
  }
}

async function runMain(consumer: Consumer, folder: string, env: Readonly<Record<string, string | undefined>>) {
  const { main, runs } = consumer;
  const compiled = join(folder, "out", main.replace(/ts$/, "js"));
  if (runs === "browser bundle") await bundleForBrowsers(compiled, compiled);
  const hasOwnNode = nodeMajorOf(consumer) !== undefined;
  const node = hasOwnNode ? join(folder, "node_modules", nodePackage, "bin/node") : process.execPath;
  const output = await mustRun(node, [compiled], { cwd: folder, env });
  if (!output.endsWith(": passed")) throw new Error(`The scenario ended early:\n${output}`);
}

/** Bundles for a browser. An import of a Node module is an error. */
async function bundleForBrowsers(entry: string, outfile: string) {
  await build({
    entryPoints: [entry],
    outfile,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "silent",
  });
}

/** Returns the installed packages, such as "connect 2.2.0". @throws Error for duplicates and for findings in our packages. */
function inspect({ ours, installs }: Consumer, folder: string): readonly string[] {
  const findings = ours.flatMap((name) => findingsOf(name, folder));
  if (findings.length > 0) throw new Error(findings.join("\n"));
  const runtimes = ["@bufbuild/protobuf", "@connectrpc/connect"].filter((name) => name in installs);
  const single = [...runtimes, ...ours];
  return single.map((name) => `${name.replace(/^@[^/]+\//, "")} ${onlyCopyOf(name, folder)}`);
}
