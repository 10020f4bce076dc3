import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("docs/scaling.md distributes every table of PostgreSQL", () => {
  const page = readFileSync(new URL("../../../docs/scaling.md", import.meta.url), "utf8");
  const folder = new URL("../../../packages/server/src/storage/postgres/schema/", import.meta.url);
  const files = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
  const tables = [...files.join("\n").matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+) \(/g)].map(([, name]) => name);
  expect(tables.length).toBeGreaterThan(13);
  const distributed = [...page.matchAll(/create_(?:distributed|reference)_table\('(\w+)'/g)].map(([, name]) => name);
  expect(distributed.sort()).toEqual(tables.sort());
});
