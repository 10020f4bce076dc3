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

/** Packs and unpacks a built package in a folder of `target`. Does not change the package's own folder. */
export async function pack(packed: WorkspacePackage, target: string): Promise<PackedPackage> {
  const home = join(target, packed.manifest.name.replace("/", "-"));
  mkdirSync(home, { recursive: true });
  const tarball = join(home, "package.tgz");
  await mustRun("pnpm", ["pack", "--out", tarball], { cwd: packed.folder });
  await mustRun("tar", ["-xzf", tarball, "-C", home], { cwd: home });
  return { ...packed, tarball, unpacked: join(home, "package") };
}
