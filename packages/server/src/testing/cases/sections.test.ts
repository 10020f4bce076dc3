import { readdirSync } from "node:fs";
import { expect, it } from "vitest";

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
const tables: { readonly name: string; readonly table: readonly unknown[] }[] = [];
for (const file of files) {
  const exported: Record<string, unknown> = await import(new URL(file, import.meta.url).href);
  for (const [name, table] of Object.entries(exported)) {
    if (name.endsWith("Cases") && Array.isArray(table)) tables.push({ name, table });
  }
}

it("finds the table of each operation", () => {
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "deleteItemCases",
      "exchangeDeviceCodeCases",
      "listChangesCases",
      "rotateRefreshTokenCases",
    ]),
  );
});

it.each(tables)("every row of $name names the section that decides it", ({ table }) => {
  const section = expect.stringMatching(/^(INTERNAL, [A-Z]|(DECISIONS|SPEC|RFC \d+|OAuth 2\.1),? (section )?\d)/);
  for (const row of table) expect(row).toMatchObject({ section, title: expect.stringMatching(/\S/) });
  expect(table.length).toBeGreaterThan(0);
});
