import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { changesOf } from "./pack-release.ts";
import { mustRun } from "./run.ts";
import { startRegistryServer } from "./testing/registry-server.ts";
import { publishedPackages, root } from "./workspace.ts";

it("the notes of a release are the sections of its version in the changelogs", () => {
  const parent = mkdtempSync(join(tmpdir(), "changes-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const packageOf = (name: string, changelog?: string) => {
    const folder = join(parent, name);
    mkdirSync(folder);
    if (changelog !== undefined) writeFileSync(join(folder, "CHANGELOG.md"), changelog);
    return { folder, manifest: { name: `@scope/${name}`, version: "1.1.0" } };
  };
  const packages = [
    packageOf("one", "# one\n\n## 1.1.0\n\n### Minor Changes\n\n- New.\n\n## 1.0.0\n\n- First.\n"),
    packageOf("two", "# two\n\n## 1.1.0\n\n## 1.0.0\n\n- First.\n"),
    packageOf("three"),
  ];
  expect(changesOf(packages, "1.1.0")).toBe(
    [
      "# @scope/one\n\n### Minor Changes\n\n- New.\n",
      "# @scope/two\n\nNo changes.\n",
      "# @scope/three\n\nNo changes.\n",
    ].join("\n"),
  );
});

it("changesets publishes every package whose version the registry lacks, after the packages that it depends on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plan-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const packages = publishedPackages(root);
  const [published] = packages.filter(({ manifest }) => manifest.dependencies === undefined);
  const { name = "", version = "" } = published?.manifest ?? {};
  const dist = { tarball: "http://127.0.0.1/package.tgz", shasum: "0".repeat(40) };
  const versions = { [version]: { name, version, dist } };
  const known = { name, versions, "dist-tags": { latest: version }, time: { [version]: new Date(0).toISOString() } };
  // Clients write the slash of a scoped name in either case.
  const paths = ["%2f", "%2F"].map((slash) => `/${name.replace("/", slash)}`);
  const registry = await startRegistryServer(Object.fromEntries(paths.map((path) => [path, known])));
  const { PATH = "" } = process.env;
  const env = {
    npm_config_registry: registry,
    pnpm_config_registry: registry,
    PATH: [join(root, "node_modules/.bin"), dirname(process.execPath), PATH].join(delimiter),
  };
  const output = join(folder, "plan.json");
  await mustRun(join(root, "node_modules/.bin/changeset"), ["publish-plan", "--output", output], { cwd: root, env });
  const { plan }: { plan: { name: string }[][] } = JSON.parse(readFileSync(output, "utf8"));
  const order = plan.flat().map(({ name }) => name);
  expect([...order, name].sort()).toEqual(packages.map(({ manifest }) => manifest.name).sort());
  for (const { manifest } of packages.filter(({ manifest }) => order.includes(manifest.name))) {
    const own = Object.keys(manifest.dependencies ?? {}).filter((each) => order.includes(each));
    expect(order.slice(0, order.indexOf(manifest.name))).toEqual(expect.arrayContaining(own));
  }
});
