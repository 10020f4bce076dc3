import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./run.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** A package as a registry would get it. */
export interface PackedPackage extends WorkspacePackage {
  readonly tarball: string;
  /** The folder that holds what the tarball holds. */
  readonly unpacked: string;
}

/** Packs a built package into a folder of `target`. The package's own folder stays as it is. */
export async function pack(packed: WorkspacePackage, target: string): Promise<PackedPackage> {
  const home = join(target, packed.manifest.name.replace("/", "-"));
  const tarball = join(home, "package.tgz");
  mkdirSync(home, { recursive: true });
  await mustRun("pnpm", ["pack", "--out", tarball], { cwd: packed.folder });
  await mustRun("tar", ["-xzf", tarball, "-C", home], { cwd: home });
  return { ...packed, tarball, unpacked: join(home, "package") };
}
