import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { foreignOwnersOf, foreignTeamsIn, placeholdersOf } from "./gate.ts";
import { startRegistryServer } from "./testing/registry-server.ts";
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

it("reports each team of another organization once", () => {
  const codeOwners = "# @some/one\n/a/ @acme/core @other/team @ada\n/b/ @other/team\n";
  const finding = ".github/CODEOWNERS names @other/team, which is not a team of Acme. Name one with write access.";
  expect(foreignTeamsIn(codeOwners, "Acme/platform")).toEqual([finding]);
});

it("the released contract, the workflows and the release tools have an owner", () => {
  const codeOwners = readFileSync(join(root, ".github/CODEOWNERS"), "utf8");
  for (const path of ["/proto/", "/tools/contract/released/", "/.ci/", "/.github/", "/.changeset/", "/tools/release/"])
    expect(codeOwners).toMatch(new RegExp(`^${path} @`, "m"));
});

const documents = {
  "/@scope%2fmine": { maintainers: [{ name: "ada" }, { name: "grace" }], versions: {} },
  "/@scope%2ftheirs": { maintainers: [{ name: "mallory" }], versions: { "1.0.0": {} } },
  "/@scope%2fabandoned": {},
  "/@scope%2fbroken": { status: 500 },
};

describe("a package name whose owner is not the publisher is rejected", () => {
  it.each([
    ["a name that does not exist", ["@scope/new"], []],
    ["a name that the publisher maintains", ["@scope/mine"], []],
    ["a name of somebody else", ["@scope/mine", "@scope/theirs"], ["@scope/theirs belongs to mallory"]],
    ["a name without maintainers", ["@scope/abandoned"], ["@scope/abandoned belongs to nobody"]],
  ])("%s", async (_, names, findings) => {
    const found = await foreignOwnersOf(names, "grace", await startRegistryServer(documents));
    expect(found).toEqual(findings.map((finding) => expect.stringContaining(finding)));
  });

  it("a registry that fails is an error, not a pass", async () => {
    const registry = await startRegistryServer(documents);
    await expect(foreignOwnersOf(["@scope/broken"], "grace", registry)).rejects.toThrow("returned status 500");
    await expect(foreignOwnersOf(["@scope/new"], "grace", "http://127.0.0.1:1")).rejects.toThrow();
  });
});
