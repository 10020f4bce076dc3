import { globSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise, type ICruiseOptions } from "dependency-cruiser";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { options }: { readonly options: ICruiseOptions } = createRequire(import.meta.url)(
  join(root, ".dependency-cruiser.cjs"),
);

/** Tests, and what only tests use. Their folders are those of what they test. */
const testCode = "[.]test[.]tsx?$|/(testing|fixtures)/|^packages/[^/]+/(test|examples)/|^packages/server/src/wire/";
/** Generated code joins the folders of its entries. */
const generated = "/gen/";

const isSource = (path: string) => !new RegExp(`${testCode}|${generated}`).test(path);
const sources = globSync("{apps,packages,tools}/*/src/**/*.{ts,tsx}", { cwd: root }).filter(isSource);
const folders = new Set(sources.map(dirname));

it("no two folders import each other", async () => {
  const { output } = await cruise(["apps", "packages", "tools"], {
    ...options,
    baseDir: root,
    exclude: { path: [testCode, generated, "/dist/", "^apps/handbook/pages/"] },
  });
  if (typeof output === "string") throw new TypeError("a result was expected");
  const arrows = new Map<string, string>();
  for (const { source, dependencies } of output.modules) {
    for (const { resolved } of dependencies) arrows.set(`${dirname(source)} → ${dirname(resolved)}`, source);
  }
  const circles = [...arrows].filter(([arrow]) => {
    const [from, to] = arrow.split(" → ");
    return from !== to && arrows.has(`${to} → ${from}`);
  });
  expect(arrows.size).toBeGreaterThan(300);
  expect(circles).toEqual([]);
});

it("a folder has at most 26 files", () => {
  const filesOf = (folder: string) => sources.filter((path) => dirname(path) === folder).length;
  expect([...folders].filter((folder) => filesOf(folder) > 26)).toEqual([]);
});

it("a folder is named by what it contains, and is no drawer", () => {
  const names = new Set([...folders].flatMap((folder) => folder.split("/").slice(1)));
  expect(names).toContain("domain");
  expect([...names].filter((name) => /^(parts|shared|program|site|utils?|helpers?|common|misc)$/.test(name))).toEqual(
    [],
  );
});
