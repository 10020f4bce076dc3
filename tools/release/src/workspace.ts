import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The fields of a package.json that this tool reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly sideEffects?: boolean;
  readonly repository?: { readonly url: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  /** An absolute path. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Returns the published packages of a workspace, sorted by path. */
export function publishedPackages(workspace: string): readonly WorkspacePackage[] {
  return globSync("{packages,apps,tools}/*/package.json", { cwd: workspace })
    .sort()
    .map((path) => ({ folder: join(workspace, dirname(path)), manifest: readManifest(join(workspace, path)) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/** Returns the npm scope of the packages, such as "@scope": only their manifests define it. @throws Error when they differ. */
export function scopeOf(packages: readonly WorkspacePackage[]): string {
  const [scope, ...others] = new Set(packages.map(({ manifest }) => manifest.name.split("/")[0]));
  if (scope === undefined || others.length > 0) throw new Error("The published packages have different scopes.");
  return scope;
}

/** Returns the version of the packages, which are released together. @throws Error when they have different ones. */
export function onlyVersionOf(packages: readonly WorkspacePackage[]): string {
  const [version, ...others] = new Set(packages.map(({ manifest }) => manifest.version));
  if (version === undefined || others.length > 0) throw new Error("The published packages have different versions.");
  return version;
}

/** Returns the entries of a package that `require` finds: `./session`. */
export function requiredEntriesOf({ exports = {} }: Manifest): readonly string[] {
  const isRequired = (target: unknown) =>
    typeof target === "string" || (typeof target === "object" && target !== null && "require" in target);
  return Object.keys(exports).filter((path) => isRequired(exports[path]));
}

/** Reads a package.json as it is published: pnpm packs the fields of publishConfig in place of those of the same names. */
export function readManifest(file: string): Manifest {
  const { publishConfig, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
  return { ...manifest, ...publishConfig };
}
