import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { workspaceRoot } from "../testing/contract-copy.ts";

const published = ["packages/types", "packages/types-connect-v1"].map((name) => join(workspaceRoot, name));
const generated = published
  .flatMap((folder) => readdirSync(join(folder, "src/gen"), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((file) => ({ name: relative(workspaceRoot, file), source: readFileSync(file, "utf8") }));

/** The source and, beneath its base64, the descriptors that it carries: names hide in both. */
function revealed(source: string): string {
  const literals = source.match(/"[A-Za-z0-9+/]{40,}={0,2}"/g) ?? [];
  return [source, ...literals.map((literal) => Buffer.from(literal, "base64").toString("latin1"))].join("\n");
}

/** The key of the extension field 1159, by which any of the buf.validate options is written. */
const constraintKey = Buffer.from([0xba, 0x48]).toString("latin1");
const privateName = /platform[./](?:accounts|internal)|MemberVault|VaultAdmin|AccessAdmin|CreateVault|IssueAccessToken/;

describe.each(generated)("as published: $name", ({ source }) => {
  it("contains no constraint, because only the server checks them", () => {
    expect(revealed(source)).not.toMatch(/buf[./]validate/);
    expect(revealed(source)).not.toContain(constraintKey);
  });

  it("contains no private name (DECISIONS section 1)", () => {
    expect(revealed(source)).not.toMatch(privateName);
  });
});

it.each(published)("%s asks for the protobuf runtime alone, never for protovalidate", (folder) => {
  const manifest: { dependencies?: object; peerDependencies?: object } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  expect(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })).toEqual(["@bufbuild/protobuf"]);
});

it("detects both in the unpublished files", () => {
  const server = readFileSync(join(workspaceRoot, "packages/server/src/gen/descriptor-set.ts"), "utf8");
  const internal = readFileSync(
    join(workspaceRoot, "packages/private/types-internal/src/gen/descriptor-set.ts"),
    "utf8",
  );
  expect(revealed(server)).toMatch(/buf\/validate/);
  expect(revealed(server)).toContain(constraintKey);
  expect(revealed(internal)).toMatch(privateName);
});
