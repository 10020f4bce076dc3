import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mustRun } from "./run.ts";
import { publishedPackages, root } from "./workspace.ts";

const published = publishedPackages(root);
const names = published.map(({ manifest }) => manifest.name);
// pnpm keeps its state here, instead of in the temporary home of the tests.
const env = { XDG_DATA_HOME: join(root, "dist") };

it("exactly these packages are published, for these versions of Node", () => {
  const engines = published.map(({ manifest: { name, engines: { node } = {} } }) => [name, node]);
  expect(Object.fromEntries(engines)).toStrictEqual({
    "@platform-rpc/broker": ">=20",
    "@platform-rpc/cli": ">=22.12",
    "@platform-rpc/client": ">=18",
    "@platform-rpc/mcp": ">=22.12",
    "@platform-rpc/server": ">=24",
    "@platform-rpc/types": ">=18",
    "@platform-rpc/types-connect-v1": ">=18",
  });
});

describe.each(published)("$manifest.name", ({ manifest: { sideEffects, dependencies = {} } }) => {
  it("lets bundlers drop what is not used", () => {
    expect(sideEffects).toBe(false);
  });

  it("depends on our packages at its own version, and on others by ranges that allow fixes", () => {
    for (const [name, range] of Object.entries(dependencies))
      expect(range).toMatch(names.includes(name) ? /^workspace:\*$/ : /^\^\d+\.\d+\.\d+$/);
  });
});

it.each(published.filter(({ manifest }) => manifest.bin === undefined))(
  "$manifest.name has no protobuf runtime among its dependencies, so that a program that imports it has one copy",
  ({ manifest: { dependencies = {} } }) => {
    for (const runtime of ["@bufbuild/protobuf", "@connectrpc/connect"])
      expect(dependencies).not.toHaveProperty([runtime]);
  },
);

it("@platform-rpc/server packs the entries of the workspace as they are, except the one for our private packages", async () => {
  const folder = join(root, "packages/server");
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { "./host": privateEntry, ...others } = exports;
  expect(published.find(({ manifest }) => manifest.name === "@platform-rpc/server")?.manifest.exports).toEqual(others);
  expect(existsSync(join(folder, privateEntry))).toBe(true);
  const packed = await mustRun("pnpm", ["pack", "--dry-run", "--json"], { cwd: folder, env });
  expect(packed).toContain('"dist/index.js"');
  expect(packed).not.toContain("dist/host.");
});

describe("@platform-rpc/client/json", () => {
  /** Returns the packages that a built module and the modules of its package import. */
  function packagesImportedBy(path: string, seen = new Set<string>()): string[] {
    if (seen.has(path)) return [];
    seen.add(path);
    const source = readFileSync(path, "utf8");
    const named = source.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\()["']([^"']+)["']/g);
    return [...named].flatMap(([, name = ""]) =>
      name.startsWith(".") ? packagesImportedBy(join(path, "..", name), seen) : [name],
    );
  }

  it.each(["js", "cjs"])("needs no package at run time, unlike the main entry: index.%s", (extension) => {
    const built = join(root, "packages/client/dist");
    expect(packagesImportedBy(join(built, `json/index.${extension}`))).toEqual([]);
    expect(packagesImportedBy(join(built, `index.${extension}`))).toContain("@connectrpc/connect");
  });
});

it("the SBOM of the app names every package in its bundles, with a hash", async () => {
  await mustRun("pnpm", ["release:sbom", "--lockfile-only"], { cwd: root, env });
  const sbom = readFileSync(join(root, "dist/sbom/platform-rpc-platform.cdx.json"), "utf8");
  const maps = globSync("apps/platform/dist/*.map", { cwd: root });
  const sources = maps.flatMap((map): string[] => JSON.parse(readFileSync(join(root, map), "utf8")).sources);
  const bundled = sources.flatMap((path) => /\/\.pnpm\/((?:@[^+]+\+)?[^/@]+@[^/_]+)/.exec(path)?.[1] ?? []);
  expect(bundled).not.toEqual([]);
  for (const name of new Set(bundled))
    expect(sbom).toContain(`"purl": "pkg:npm/${name.replace(/^@/, "%40").replace("+", "/")}"`);
  expect(sbom.match(/"SHA-512"/g)?.length).toBeGreaterThanOrEqual(new Set(bundled).size);
});
