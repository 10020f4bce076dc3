import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/**
 * What callers of each published package rely on, by the name of the package. Each string is a declaration: the heading that it is under (an
 * entry, a program, `defaults`, `package.json`, `migrations`), its signature, and its other lines.
 */
export const packageApisSchema = z.record(z.string(), z.array(z.string()));
export type PackageApis = Readonly<z.infer<typeof packageApisSchema>>;

const text = z.record(z.string(), z.string());

const manifestSchema = z.object({
  name: z.string(),
  version: z.string().default("0.0.0"),
  private: z.boolean().default(false),
  type: z.string().default("commonjs"),
  main: z.string().optional(),
  module: z.string().optional(),
  types: z.string().optional(),
  bin: text.default({}),
  os: z.array(z.string()).default([]),
  cpu: z.array(z.string()).default([]),
  engines: text.default({}),
  dependencies: text.default({}),
  peerDependencies: text.default({}),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
  exports: z.json().optional(),
  typesVersions: z.json().optional(),
  publishConfig: z.record(z.string(), z.json()).default({}),
});
type Manifest = z.infer<typeof manifestSchema>;

export interface PublishedPackage {
  /** A path from the root of the workspace. */
  readonly folder: string;
  readonly manifest: Manifest;
}

export function publishedPackages(root: string): readonly PublishedPackage[] {
  const folders = existsSync(join(root, "packages")) ? readdirSync(join(root, "packages")).sort() : [];
  return folders.flatMap((name) => {
    const folder = `packages/${name}`;
    const file = join(root, folder, "package.json");
    if (!existsSync(file)) return [];
    const written = manifestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    const { name: fullName, version, publishConfig } = written;
    // pnpm packs what publishConfig has in place of the fields of the same names, except for these two.
    const manifest = manifestSchema.parse({ ...written, ...publishConfig, name: fullName, version });
    return written.private ? [] : [{ folder, manifest }];
  });
}

export function readPackageApis(root: string): PackageApis {
  const packages = publishedPackages(root);
  const peers = new Set(packages.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies)));
  return Object.fromEntries(
    packages.map(({ manifest, folder }) => {
      const report = join(root, folder, "api.md");
      const declarations = existsSync(report) ? parseReport(readFileSync(report, "utf8")) : [];
      return [manifest.name, [...declarations, ...promisesOf(manifest, peers), ...migrationsIn(root, folder)]];
    }),
  );
}

function parseReport(report: string): readonly string[] {
  const sections = report.split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const [, entry = "", code = ""] = /^(\S+)[\s\S]*?^```(?:ts|text)\n([\s\S]*?)^```/m.exec(section) ?? [];
    return code
      .split(/\n\s*\n/)
      .map((block) => block.trim())
      .filter((block) => block !== "" && !block.startsWith("import "))
      .map((block) => `${entry}\n${block}`);
  });
}

/**
 * Returns what a package.json promises. A dependency is a promise if it is one of `peers`, the peers of any published package: users who
 * have another major version have it twice.
 */
function promisesOf(manifest: Manifest, peers: ReadonlySet<string>): readonly string[] {
  const { type, main, module, types, os, cpu, engines, bin, dependencies, peerDependencies, peerDependenciesMeta } =
    manifest;
  const declare = (signature: string, ...values: readonly string[]) =>
    ["package.json", signature, ...values.map((value) => `    ${value}`)].join("\n");
  const isOptional = (name: string) => peerDependenciesMeta[name]?.optional === true;
  return [
    declare("type", type),
    ...(main === undefined ? [] : [declare("main", main)]),
    ...(module === undefined ? [] : [declare("module", module)]),
    ...(types === undefined ? [] : [declare("types", types)]),
    ...(os.length === 0 ? [] : [declare("os: required", os.join(" "))]),
    ...(cpu.length === 0 ? [] : [declare("cpu: required", cpu.join(" "))]),
    ...Object.entries(engines).map(([name, range]) => declare(`engines.${name}: required`, range)),
    ...Object.keys(bin).map((name) => declare(`bin.${name}`)),
    ...Object.entries(peerDependencies).map(([name, range]) => {
      const need = isOptional(name) ? "optional" : "required";
      return declare(`peerDependencies["${name}"]: ${need}`, ...range.split(/\s*\|\|\s*/).sort());
    }),
    ...Object.entries(dependencies)
      .filter(([name]) => peers.has(name))
      .map(([name, range]) => declare(`dependencies["${name}"]`, /\d+/.exec(range)?.[0] ?? range)),
    ...targetsIn("exports", manifest.exports ?? null).map(([path, target]) => declare(path, target)),
    ...targetsIn("typesVersions", manifest.typesVersions ?? null).map(([path, target]) => declare(path, target)),
  ];
}

/** Returns paths and their targets: `exports["."].import.types`. */
function targetsIn(path: string, value: z.infer<ReturnType<typeof z.json>>): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    targetsIn(/^\w+$/.test(key) ? `${path}.${key}` : `${path}["${key}"]`, inner),
  );
}

/** What creates or migrates the database of a storage. Databases of users have run it, and cannot run it again. */
const migrations = "packages/*/src/storage/{sqlite/database,postgres}/{schema.ts,schema/*.ts,migrations/*.ts}";

function migrationsIn(root: string, folder: string): readonly string[] {
  const files = globSync(migrations, { cwd: root }).filter(
    (file) => file.startsWith(`${folder}/`) && !file.endsWith(".test.ts"),
  );
  return files.sort().map((file) => {
    const digest = createHash("sha256").update(readFileSync(join(root, file)));
    return `migrations\n${file}\n    ${digest.digest("hex")}`;
  });
}
