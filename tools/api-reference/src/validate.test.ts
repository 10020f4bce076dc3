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

const said: string[] = [];
beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation((line) => said.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  said.length = 0;
});

const whole = "/** Does it. */\nexport declare function doIt(): void;";

async function isValid(code: string, page: string) {
  writeFileSync(declarations, code);
  writeFileSync(readme, page);
  const entryPoints = [{ name: packageName, packageName, declarations, readme }];
  return validate(await readReference(entryPoints), entryPoints);
}

describe("the reference is whole", () => {
  it("when everything public is exported, has its words, and links to what is there", async () => {
    expect(await isValid(`${whole}\n/** As {@link doIt}. */\nexport type Done = true;`, "# It")).toBe(true);
    expect(said).toEqual([]);
  });

  it.each([
    ["a link leads nowhere", `${whole}\n/** See {@link done}. */\nexport type Done = true;`, "# It", '"done"'],
    [
      "a type has no public name",
      `interface Hidden {}\n/** Does it. */\nexport declare function doIt(): Hidden;`,
      "# It",
      "Hidden",
    ],
    [
      "something public has no words",
      "export declare function doIt(): void;",
      "# It",
      "does not have any documentation",
    ],
    ["a README points at a file that is not there", whole, "# It\n\n[more](more.md)", "more.md"],
  ])("not when %s", async (_rule, code, page, message) => {
    expect(await isValid(code, page)).toBe(false);
    expect(said.join("\n")).toContain(message);
  });
});

it("is about every entry point of the packages", () => {
  expect(publicEntryPoints.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "@platform-rpc/client",
      "@platform-rpc/client/json",
      "@platform-rpc/server",
      "@platform-rpc/types",
    ]),
  );
});
