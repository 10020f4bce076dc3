import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./run.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** A packed package, as it is published. */
export interface PackedPackage extends WorkspacePackage {
  readonly tarball: string;
  /** The folder with the unpacked tarball. */
  readonly unpacked: string;
}

/** Packs a built package into a folder, and returns the name of its tarball. Does not change the package's own folder. */
export async function packInto({ folder, manifest }: WorkspacePackage, target: string): Promise<string> {
  const { name, version } = manifest;
  // The name that `npm pack` uses.
  const tarball = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  await mustRun("pnpm", ["pack", "--out", join(target, tarball)], { cwd: folder });
  return tarball;
}

/** Packs and unpacks a built package in a folder of `target`. */
export async function pack(packed: WorkspacePackage, target: string): Promise<PackedPackage> {
  const home = join(target, packed.manifest.name.replace("/", "-"));
  mkdirSync(home, { recursive: true });
  const tarball = join(home, await packInto(packed, home));
  await mustRun("tar", ["-xzf", tarball, "-C", home], { cwd: home });
  return { ...packed, tarball, unpacked: join(home, "package") };
}
