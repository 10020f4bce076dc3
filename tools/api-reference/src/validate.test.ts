import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publicEntryPoints } from "./entry-points.ts";
import { readReference } from "./read-reference.ts";
import { validate } from "./validate.ts";

const folder = mkdtempSync(join(tmpdir(), "api-reference-"));
const packageName = "@platform-rpc/example";
const readme = join(folder, "README.md");
const declarations = join(folder, "index.d.ts");
writeFileSync(join(folder, "package.json"), JSON.stringify({ name: packageName }));
afterAll(() => rmSync(folder, { recursive: true }));

const warnings: string[] = [];
beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation((line) => warnings.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  warnings.length = 0;
});

const documented = "/** Does it. */\nexport declare function doIt(): void;";

async function isValid(code: string, page: string) {
  writeFileSync(declarations, code);
  writeFileSync(readme, page);
  const entryPoints = [{ name: packageName, packageName, declarations, readme }];
  return validate(await readReference(entryPoints), entryPoints);
}

describe("the reference", () => {
  it("is valid when every public declaration is exported and documented, and every link has a target", async () => {
    expect(await isValid(`${documented}\n/** As {@link doIt}. */\nexport type Done = true;`, "# It")).toBe(true);
    expect(warnings).toEqual([]);
  });

  it.each([
    ["a link has no target", `${documented}\n/** See {@link done}. */\nexport type Done = true;`, "# It", '"done"'],
    [
      "a type is not exported",
      `interface Hidden {}\n/** Does it. */\nexport declare function doIt(): Hidden;`,
      "# It",
      "Hidden",
    ],
    [
      "a public declaration has no docstring",
      "export declare function doIt(): void;",
      "# It",
      "does not have any documentation",
    ],
    ["a README links to a missing file", documented, "# It\n\n[more](more.md)", "more.md"],
  ])("is not valid when %s", async (_rule, code, page, message) => {
    expect(await isValid(code, page)).toBe(false);
    expect(warnings.join("\n")).toContain(message);
  });
});

it("covers every entry point of the packages", () => {
  expect(publicEntryPoints.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "@platform-rpc/client",
      "@platform-rpc/client/json",
      "@platform-rpc/server",
      "@platform-rpc/types",
    ]),
  );
});
