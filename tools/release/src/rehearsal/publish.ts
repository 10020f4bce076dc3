import { dirname } from "node:path";
import { packRelease, type Tarball } from "../pack-release.ts";
import { type Ended, run } from "../run.ts";
import type { WorkspaceCopy } from "./workspace-copy.ts";

/** Packs every package of a workspace as the release workflow does: none is on the local registry yet. */
export function packAll({ folder }: WorkspaceCopy, registry: string): Promise<readonly Tarball[]> {
  return packRelease(folder, { npm_config_registry: registry, pnpm_config_registry: registry });
}

/** Publishes a tarball with the command of the release workflow. */
export function publish({ path }: Tarball, registry: string, tag: string): Promise<Ended> {
  const args = ["publish", path, "--access", "public", "--tag", tag];
  return run("npm", args, { cwd: dirname(path), env: publisher(registry) });
}

export async function publishAll(tarballs: readonly Tarball[], registry: string, tag: string): Promise<void> {
  for (const tarball of tarballs) {
    const { ok, output } = await publish(tarball, registry, tag);
    if (!ok) throw new Error(`npm publish ${tarball.path} --tag ${tag}\n${output}`);
  }
}

/** Returns the environment of `npm publish`. The registry accepts any token. */
function publisher(registry: string): Readonly<Record<string, string>> {
  return {
    npm_config_registry: registry,
    [`npm_config_//${new URL(registry).host}/:_authToken`]: "rehearsal",
  };
}
