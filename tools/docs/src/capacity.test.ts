import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { capacityTable } from "./capacity.ts";

it("docs/scaling.md contains the table that the script prints", () => {
  const page = readFileSync(new URL("../../../docs/scaling.md", import.meta.url), "utf8");
  expect(page).toContain(capacityTable());
});

it("docs/scaling.md distributes every table of PostgreSQL, or says that it is not distributed", () => {
  const page = readFileSync(new URL("../../../docs/scaling.md", import.meta.url), "utf8");
  const folder = "../../../packages/server/src/storage/postgres/migrations";
  const migrations = ["0001-initial.ts", "0007-epochs.ts", "0010-audit-seals.ts"].map((name) =>
    readFileSync(new URL(`${folder}/${name}`, import.meta.url), "utf8"),
  );
  const tables = [...migrations.join("\n").matchAll(/CREATE TABLE (\w+) \(/g)].map(([, name]) => name);
  expect(tables.length).toBeGreaterThan(14);
  const distributed = [...page.matchAll(/create_(?:distributed|reference)_table\('(\w+)'/g)].map(([, name]) => name);
  expect(distributed.sort()).toEqual(tables.sort());
});
