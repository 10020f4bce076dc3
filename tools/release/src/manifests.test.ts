import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { publishedPackages, readManifest, root } from "./workspace.ts";

const published = publishedPackages(root);
const names = published.map(({ manifest }) => manifest.name);

it("exactly these packages are published", () => {
  expect(names).toEqual([
    "@platform-rpc/broker",
    "@platform-rpc/cli",
    "@platform-rpc/client",
    "@platform-rpc/mcp",
    "@platform-rpc/server",
    "@platform-rpc/types-connect-v1",
    "@platform-rpc/types",
  ]);
});

it("every package that is not published is left out of the software bills of materials", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [, left = ""] = /--filter='!\.\/packages\/\{(.*?)\}'/.exec(scripts["release:sbom"]) ?? [];
  const folders = readdirSync(join(root, "packages"));
  const isPrivate = (folder: string) => {
    const { private: hidden } = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
    return hidden === true;
  };
  expect(left.split(",")).toEqual(folders.filter(isPrivate).sort());
});

it("all packages name the same repository", () => {
  expect(new Set(published.map(({ manifest }) => manifest.repository?.url)).size).toBe(1);
});

it("all packages are released together, with the same version", () => {
  const config: { fixed?: unknown; access?: unknown } = JSON.parse(
    readFileSync(join(root, ".changeset/config.json"), "utf8"),
  );
  expect(config.fixed).toEqual([expect.arrayContaining(names)]);
  expect(new Set(published.map(({ manifest }) => manifest.version)).size).toBe(1);
});

/** Packages that other programs import. The others are programs. */
const libraries = published.filter(({ manifest }) => manifest.bin === undefined);

describe.each(libraries)("$manifest.name, as a library", ({ manifest }) => {
  it("supports both module systems with explicit exports, each with its own declarations", () => {
    for (const [path, target] of Object.entries(manifest.exports ?? {})) {
      if (path.endsWith(".json")) continue;
      // A file of the name of the entry, or the index of such a folder.
      const files = path === "." ? ["./dist/index"] : [`./dist/${path.slice(2)}`, `./dist/${path.slice(2)}/index`];
      const conditions = files.map((file) => ({
        import: { types: `${file}.d.ts`, default: `${file}.js` },
        require: { types: `${file}.d.cts`, default: `${file}.cjs` },
      }));
      expect(conditions).toContainEqual(target);
    }
    expect(Object.keys(manifest.exports ?? {})).toEqual(expect.arrayContaining([".", "./package.json"]));
  });

  it("has the protobuf runtime as a peer dependency, so that only one copy is installed", () => {
    const runtimes = ["@bufbuild/protobuf", "@connectrpc/connect"];
    for (const name of runtimes) expect(manifest.dependencies ?? {}).not.toHaveProperty([name]);
    const speaksProtobuf = manifest.name !== "@platform-rpc/broker";
    expect("@bufbuild/protobuf" in (manifest.peerDependencies ?? {})).toBe(speaksProtobuf);
  });
});

describe.each(published)("$manifest.name, as published", ({ folder, manifest }) => {
  it("has the fields that bundlers, registries and users need", () => {
    expect(manifest).toMatchObject({
      sideEffects: false,
      type: "module",
      license: "Apache-2.0",
      files: expect.arrayContaining(["dist", "CHANGELOG.md"]),
      publishConfig: { access: "public" },
      repository: {
        type: "git",
        url: expect.stringMatching(/^git\+https:\/\/.+\.git$/),
        directory: folder.slice(root.length),
      },
    });
    expect(manifest.description).toMatch(/^.{20,}$/);
    expect(manifest.keywords).toEqual(expect.arrayContaining(["connectrpc", "rpc"]));
    const floors: Readonly<Record<string, string>> = {
      "@platform-rpc/broker": ">=20",
      "@platform-rpc/cli": ">=22.12",
      "@platform-rpc/mcp": ">=22.12",
      "@platform-rpc/server": ">=24",
    };
    expect(manifest.engines).toEqual({ node: floors[manifest.name] ?? ">=18" });
    expect(existsSync(join(folder, "README.md"))).toBe(true);
  });

  it("depends on the group's other packages at its own version, and on others by ranges that allow fixes", () => {
    for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
      if (names.includes(name)) expect(range).toBe("workspace:*");
      else expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
    }
  });
});

describe("the lowest versions of peers are the ones that the rehearsal installs", () => {
  const consumers = readFileSync(join(root, "tools/release/src/rehearsal/consumers.ts"), "utf8");
  const floors = published.flatMap(({ manifest }) =>
    Object.entries(manifest.peerDependencies ?? {})
      .filter(([name]) => name.startsWith("@"))
      .map(([name, range]) => ({ of: manifest.name, name, range })),
  );

  it.each(floors)("$of: $name $range", ({ name, range }) => {
    expect(consumers).toContain(`"${name}": "${range.replace(/^\^/, "")}"`);
  });
});

it.each(published)(
  "$manifest.name is built and tested with the versions of the catalog and this workspace",
  ({ manifest }) => {
    for (const range of Object.values(manifest.devDependencies ?? {}))
      expect(range).toMatch(/^(?:catalog:|workspace:\*$)/);
  },
);

it("the workspace itself is never published", () => {
  expect(readManifest(join(root, "package.json")).private).toBe(true);
});

it("the main entry of the server has a budget of names", () => {
  const index = readFileSync(join(root, "packages/server/src/index.ts"), "utf8");
  const names = [...index.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim()),
  );
  expect(names).toContain(" createPlatform");
  expect(names.length, "move what only our own apps need to host.ts").toBeLessThanOrEqual(42);
});
