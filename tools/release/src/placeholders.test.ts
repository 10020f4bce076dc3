import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { placeholdersOf } from "./placeholders.ts";
import { publishedPackages, root } from "./workspace.ts";

const folder = mkdtempSync(join(tmpdir(), "placeholders-"));
afterAll(() => rmSync(folder, { recursive: true }));

const here = "git+https://github.com/owner/platform.git";

function packageOf({ built, url = here }: { built?: string; url?: string }) {
  const dist = join(folder, "dist");
  rmSync(dist, { recursive: true, force: true });
  if (built !== undefined) {
    mkdirSync(join(dist, "json"), { recursive: true });
    writeFileSync(join(dist, "index.js"), "export {};\n");
    writeFileSync(join(dist, "json/index.cjs"), built);
  }
  const repository = { type: "git", url, directory: "packages/one" };
  return { folder, manifest: { name: "one", version: "1.0.0", repository } };
}

describe("nothing with a placeholder is published", () => {
  it.each([
    { what: "another repository", given: { built: "", url: "git+https://github.com/platform/platform.git" } },
    { what: "a reserved host", given: { built: 'const docs = "https://platform.example/docs";' } },
    { what: "a reserved host at the end of a sentence", given: { built: "// See https://example." } },
    { what: "a package that is not built, of which nothing can be known", given: {} },
  ])("refused: $what", ({ given }) => {
    expect(placeholdersOf(packageOf(given), here)).toEqual([expect.stringMatching(/^one .*\.$/)]);
  });

  it("reports the file", () => {
    const built = 'const docs = "https://platform.example/docs";';
    expect(placeholdersOf(packageOf({ built }), here)).toEqual([
      "one contains the placeholder https://platform.example/docs in dist/json/index.cjs.",
    ]);
  });

  it.each(["https://docs.platform.dev/errors", "https://api.example.com", "https://example-docs.dev"])(
    "passes: %s",
    (address) => {
      expect(placeholdersOf(packageOf({ built: `const docs = "${address}";` }), here)).toEqual([]);
    },
  );
});

it.each(publishedPackages(root))("$manifest.name, as built, has no placeholder", (published) => {
  const { repository } = published.manifest;
  const findings = placeholdersOf(published, repository?.url ?? "");
  expect(findings).toEqual([]);
});
