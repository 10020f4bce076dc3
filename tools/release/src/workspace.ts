import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What this tool reads of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly engines?: Readonly<Record<string, string>>;
  readonly private?: boolean;
  readonly repository?: { readonly type: string; readonly url: string; readonly directory: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

export interface WorkspacePackage {
  /** Absolute. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages of a workspace that are published, by name. */
export function publishedPackages(workspace: string): readonly WorkspacePackage[] {
  return globSync("{packages,apps,tools}/*/package.json", { cwd: workspace })
    .sort()
    .map((path) => ({ folder: join(workspace, dirname(path)), manifest: readManifest(join(workspace, path)) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/**
 * Returns the npm scope of the published packages, such as "@scope". Their manifests are the one place that says it.
 *
 * @throws Error when they are not all of one scope.
 */
export function scopeOf(packages: readonly WorkspacePackage[]): string {
  const [scope, ...others] = new Set(packages.map(({ manifest }) => manifest.name.split("/")[0]));
  if (scope === undefined || others.length > 0) throw new Error("The published packages are not all of one scope.");
  return scope;
}

/**
 * Returns the version of the published packages. They are released together.
 *
 * @throws Error when they are not all of one version.
 */
export function onlyVersionOf(packages: readonly WorkspacePackage[]): string {
  const [version, ...others] = new Set(packages.map(({ manifest }) => manifest.version));
  if (version === undefined || others.length > 0) throw new Error("The published packages are not all of one version.");
  return version;
}

export function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8"));
}
