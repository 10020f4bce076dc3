import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./pages.ts";

const benchmarksPage = readFileSync(join(root, "docs/benchmarks.md"), "utf8");

it("docs/benchmarks.md has a section for each benchmark, and no figures that none measures", () => {
  const paths = globSync("tools/bench/src/*/*.ts", { cwd: root });
  const sources = paths.map((path) => readFileSync(join(root, path), "utf8"));
  const titles = sources.flatMap((source) =>
    [...source.matchAll(/ title: "(.+)",\n +method: /g)].map(([, title]) => title),
  );
  const sections = [...benchmarksPage.matchAll(/^## (.+)$/gm)].map(([, section]) => section);
  expect(sections.sort()).toEqual([...titles, "Aims", "Machine and versions", "Repeat it"].sort());
});

it("docs/performance.md, which explains the benchmarks, has no measured figure of its own", () => {
  // A time, a part, a rate, a size in powers of ten, or a ratio. Settings are in KiB and MiB, or have no unit.
  const measured = /(?:^|[^\d.])\d[\d .,–]*(?:µs|ms|%|percent\b|kB|MB|times\b|(?:deletions|requests|calls)?\/s\b)/g;
  expect(readFileSync(join(root, "docs/performance.md"), "utf8").match(measured) ?? []).toEqual([]);
});

it("docs/scaling.md distributes every table of PostgreSQL", () => {
  const page = readFileSync(new URL("../../../docs/scaling.md", import.meta.url), "utf8");
  const places = globSync("packages/server/src/storage/postgres/{schema,migrations}/*.ts", { cwd: root });
  const files = places.map((path) => readFileSync(join(root, path), "utf8"));
  const tables = [...files.join("\n").matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+) \(/g)].map(([, name]) => name);
  expect(tables.length).toBeGreaterThan(13);
  const distributed = [...page.matchAll(/create_(?:distributed|reference)_table\('(\w+)'/g)].map(([, name]) => name);
  expect(distributed.sort()).toEqual(tables.sort());
});

it("docs/oauth.md names the versions of the clients that the tests use", () => {
  const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const page = readFileSync(join(root, "docs/oauth.md"), "utf8");
  const clients = [...page.matchAll(/^\| `([^`]+)` \(npm\)[^|]*\| (\S+) \|/gm)];
  expect(clients).toHaveLength(5);
  for (const [, name, version] of clients) expect(catalog).toMatch(new RegExp(`^ +"?${name}"?: ${version}$`, "m"));
});
