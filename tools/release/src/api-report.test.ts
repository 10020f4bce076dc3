import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { apiReport, changedLines } from "./api-report.ts";

const parent = mkdtempSync(join(tmpdir(), "api-"));
afterAll(() => rmSync(parent, { recursive: true }));

const exports = {
  ".": { import: { types: "./dist/index.d.ts", default: "./dist/index.js" } },
  "./package.json": "./package.json",
};

function reportOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(parent, "package-"));
  for (const [path, text] of Object.entries({
    "package.json": '{"name":"@platform-rpc/example","type":"module"}',
    ...files,
  })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return apiReport({ folder, manifest: { name: "@platform-rpc/example", version: "1.0.0", exports } });
}

const whole = `
interface Hidden {
  readonly id: string;
}
/** Unused. */
interface Unused {}
/** Finds one. */
declare function find(id: string): Hidden;
export { find };
`;

const reportOfWhole = reportOf({ "dist/index.d.ts": whole });

describe("the API report", () => {
  it("contains the exports and the types they refer to, without comments", () => {
    expect(reportOfWhole).toContain(
      [
        "## @platform-rpc/example",
        "",
        "```ts",
        "export function find(id: string): Hidden;",
        "",
        "interface Hidden {",
        "    readonly id: string;",
        "}",
        "```",
      ].join("\n"),
    );
  });

  it("does not depend on the bundler's chunks or their order", () => {
    const cut = {
      "dist/chunk-AAAA.d.ts": "interface Hidden {\n  readonly id: string;\n}\nexport { type Hidden as H };\n",
      "dist/index.d.ts":
        'import { H as Hidden } from "./chunk-AAAA.js";\ndeclare function find(id: string): Hidden;\nexport { find };\n',
    };
    expect(reportOf(cut)).toBe(reportOfWhole);
  });

  it("changes when a type that is not exported changes", () => {
    const wider = whole.replace("id: string;", "id: string | number;");
    expect(reportOf({ "dist/index.d.ts": wider })).not.toBe(reportOfWhole);
  });

  it("fails for a package that is not built", () => {
    expect(() => reportOf({})).toThrow("Build the package first");
  });
});

it("lists the lines that changed", () => {
  expect(changedLines("same\nbefore", "same\nafter")).toEqual(["- before", "+ after"]);
});
