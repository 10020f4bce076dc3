import { cpSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { privateNamesIn } from "../private-names.ts";
import { mustRun } from "../run.ts";
import { type Manifest, readManifest, requiredEntriesOf } from "../workspace.ts";
import type { Consumer } from "./consumers.ts";
import type { PlatformApp } from "./platform-app.ts";

export interface Trial {
  readonly consumer: Consumer;
  readonly app: PlatformApp;
  /** The workspace whose `tools/release/consumers` contains its files. */
  readonly workspace: string;
}

/** The file of a project that requires every entry. */
const requiring = "entries.test.cjs";

/** The npm package with Node binaries for this machine. */
const nodePackage = `node-${process.platform}-${process.arch}`;

/** Returns the version of Node that a project installs; undefined when it installs none. */
function nodeVersionOf({ runs }: Pick<Consumer, "runs">): string | undefined {
  return /^node (\S+)$/.exec(runs)?.[1];
}

function manifestOf(consumer: Consumer) {
  const { ours, tag, installs, typescript } = consumer;
  const dependencies = { ...installs, ...Object.fromEntries(ours.map((name) => [name, tag])) };
  const version = nodeVersionOf(consumer);
  const node = version === undefined ? {} : { [nodePackage]: version };
  const devDependencies = { typescript, "@types/node": "24", ...node };
  return { name: "consumer", private: true, type: "module", dependencies, devDependencies };
}

function compilerOptionsOf({ libraries, resolution }: Consumer) {
  const module = resolution === "bundler" || resolution === "node10" ? "esnext" : resolution;
  return {
    compilerOptions: {
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable"],
      types: ["node"],
      module,
      moduleResolution: resolution,
      esModuleInterop: true,
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
  writeEntries(consumer, folder);
  await mustRun(join(folder, "node_modules/.bin/tsc"), ["-p", "."], { cwd: folder, env });
  await runMain(consumer, folder, env);
  return { consumer, versions: inspect(consumer, folder), seconds: (performance.now() - started) / 1000 };
}

/** The entries that need a package which a consumer may not have installed. */
const optionalPeers = {
  "@platform-rpc/client/undici": "undici",
  "@platform-rpc/client/session": "oauth4webapi",
  "@platform-rpc/client/otel": "@opentelemetry/api",
  "@platform-rpc/server/testing": "vitest",
  "@platform-rpc/server/otel": "@opentelemetry/api",
  "@platform-rpc/server/postgres": "pg",
};

/** Reports whether a text names an entry with an optional peer that a consumer does not install. */
function needsMissingPeer(text: string, { installs }: Consumer): boolean {
  return Object.entries(optionalPeers).some(([entry, peer]) => text.includes(entry) && !(peer in installs));
}

/** Writes two files with every entry of the packages: one imports the types, one requires what promises CommonJS, on Node or in Jest. */
function writeEntries(consumer: Consumer, folder: string): void {
  const manifests = consumer.ours.map((name) => readManifest(join(folder, "node_modules", name, "package.json")));
  const usable = (entriesOf: (manifest: Manifest) => readonly string[]) =>
    manifests
      .flatMap((manifest) => entriesOf(manifest).map((path) => manifest.name + path.slice(1)))
      .filter((entry) => !needsMissingPeer(entry, consumer));
  const imports = usable(({ exports = {} }) => Object.keys(exports))
    .filter((entry) => !entry.endsWith(".json"))
    .map((entry, index) => `export * as entry${index} from "${entry}";`);
  const requires = usable(requiredEntriesOf).map((entry) => `test("${entry}", () => void require("${entry}"));`);
  writeFileSync(join(folder, "entries.ts"), imports.join("\n"));
  writeFileSync(join(folder, requiring), ["globalThis.test ??= (_name, run) => run();", ...requires].join("\n"));
}

/** What buf generates of the contract in the README of the server: its examples import it. */
const generatedForExamples = fileURLToPath(new URL("../../../../packages/server/examples/gen", import.meta.url));

/**
 * Writes the examples in the installed packages' READMEs as files, so that they are type-checked too: with the name that the README gives
 * one, because others may import it. An example of an entry with an optional peer dependency is written only for a consumer that
 * installs it.
 */
function writeReadmeExamples(consumer: Consumer, folder: string): void {
  for (const name of consumer.ours) {
    const readme = readFileSync(join(folder, "node_modules", name, "README.md"), "utf8");
    const blocks = [...readme.matchAll(/(?:^<!-- examples\/(\S+) -->\n)?^```ts\n(.*?)^```$/gms)];
    for (const [index, [, file = `readme-${name.split("/")[1]}-${index}.ts`, code = ""]] of blocks.entries()) {
      if (needsMissingPeer(code, consumer)) continue;
      if (code.includes('from "./gen/')) cpSync(generatedForExamples, join(folder, "gen"), { recursive: true });
      writeFileSync(join(folder, file), code);
    }
  }
}

async function runMain(consumer: Consumer, folder: string, env: Readonly<Record<string, string | undefined>>) {
  const { main, runs } = consumer;
  const compiled = join(folder, "out", main.replace(/ts$/, "js"));
  if (runs === "browser bundle") await bundleForBrowsers(compiled, compiled);
  const hasOwnNode = nodeVersionOf(consumer) !== undefined;
  const node = hasOwnNode ? join(folder, "node_modules", nodePackage, "bin/node") : process.execPath;
  await mustRun(node, [requiring], { cwd: folder, env });
  if ("jest" in consumer.installs)
    await mustRun(node, ["node_modules/jest/bin/jest.js", requiring], { cwd: folder, env });
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

const documents = ["README.md", "LICENSE", "CHANGELOG.md"];
const entryFields = ["main", "module", "types", "bin", "exports", "typesVersions"];

/** Returns the installed version. @throws Error unless there is one copy: two of a runtime have separate types and registries. */
function onlyCopyOf(name: string, project: string): string {
  const places = ["", "**/node_modules/", ".pnpm/*/node_modules/"];
  const found = globSync(
    places.map((place) => `node_modules/${place}${name}/package.json`),
    { cwd: project },
  );
  const [copy, ...others] = new Set(found.map((path) => realpathSync(join(project, path))));
  if (copy === undefined) throw new Error(`${name} is not installed.`);
  if (others.length > 0) throw new Error(`${name} is installed more than once:\n${[copy, ...others].join("\n")}`);
  return readManifest(copy).version;
}

/** Returns the problems of one of our packages after its installation in a project. */
export function findingsOf(name: string, project: string): readonly string[] {
  const folder = join(project, "node_modules", name);
  const manifest = readManifest(join(folder, "package.json"));
  const { files = [] } = manifest;
  const entries = Object.entries(manifest).flatMap(([field, value]) =>
    entryFields.includes(field) ? pathsIn(value) : [],
  );
  const packed = files.filter((file) => !file.startsWith("!"));
  const missing = [...new Set([...documents, ...packed, ...entries])]
    .filter((file) => !existsSync(join(folder, file)))
    .map((file) => `${file} is missing`);
  return [...missing, ...privateNamesIn(folder)].map((problem) => `${name}: ${problem}`);
}

/** Returns the paths that a field of a package.json names, such as the targets of its exports. */
function pathsIn(field: unknown): readonly string[] {
  if (typeof field === "object" && field !== null) return Object.values(field).flatMap(pathsIn);
  return typeof field === "string" ? [field] : [];
}
