import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { packInto } from "../packed-package.ts";
import { type Ended, run } from "../run.ts";
import type { WorkspaceCopy } from "./workspace-copy.ts";

/** Packs every package of a workspace as the release workflow does, and returns the tarballs. */
export async function packAll({ folder, packages }: WorkspaceCopy): Promise<readonly string[]> {
  const target = join(folder, "dist/release");
  mkdirSync(target, { recursive: true });
  const tarballs: string[] = [];
  for (const one of packages) tarballs.push(join(target, await packInto(one, target)));
  return tarballs;
}

/** Publishes a tarball with the command of the release workflow. */
export function publish(tarball: string, registry: string, tag: string): Promise<Ended> {
  const args = ["publish", tarball, "--access", "public", "--tag", tag];
  return run("npm", args, { cwd: join(tarball, ".."), env: publisher(registry) });
}

export async function publishAll(tarballs: readonly string[], registry: string, tag: string): Promise<void> {
  for (const tarball of tarballs) {
    const { ok, output } = await publish(tarball, registry, tag);
    if (!ok) throw new Error(`npm publish ${tarball} --tag ${tag}\n${output}`);
  }
}

/** Returns the environment of `npm publish`. The registry accepts any token. */
function publisher(registry: string): Readonly<Record<string, string>> {
  return {
    npm_config_registry: registry,
    [`npm_config_//${new URL(registry).host}/:_authToken`]: "rehearsal",
  };
}
