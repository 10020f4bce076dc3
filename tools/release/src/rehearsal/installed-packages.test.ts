import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findingsOf, onlyCopyOf } from "./installed-packages.ts";

const runtime = "@bufbuild/protobuf";
let project = "";

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "installed-"));
});
afterEach(() => rmSync(project, { recursive: true }));

function install(folder: string, version = "2.7.0"): void {
  mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, folder, "package.json"), JSON.stringify({ name: runtime, version }));
}

function link(from: string, to: string): void {
  mkdirSync(dirname(join(project, from)), { recursive: true });
  symlinkSync(join(project, to), join(project, from));
}

describe("only one copy of a runtime may be installed", () => {
  it("finds the copy installed by npm", () => {
    install("node_modules/@bufbuild/protobuf", "2.17.0");
    expect(onlyCopyOf(runtime, project)).toBe("2.17.0");
  });

  it("finds the single copy installed by pnpm, however many links it has", () => {
    const store = "node_modules/.pnpm/@bufbuild+protobuf@2.7.0/node_modules/@bufbuild/protobuf";
    install(store);
    link("node_modules/@bufbuild/protobuf", store);
    link("node_modules/.pnpm/@platform-rpc+types@1.0.0/node_modules/@bufbuild/protobuf", store);
    expect(onlyCopyOf(runtime, project)).toBe("2.7.0");
  });

  it.each([
    ["beneath another package", "node_modules/@connectrpc/connect/node_modules/@bufbuild/protobuf"],
    ["deep beneath other packages", "node_modules/a/node_modules/b/node_modules/@bufbuild/protobuf"],
    ["in the store of pnpm", "node_modules/.pnpm/@bufbuild+protobuf@2.9.0/node_modules/@bufbuild/protobuf"],
  ])("finds a second one %s", (_where, folder) => {
    install("node_modules/@bufbuild/protobuf");
    install(folder);
    expect(() => onlyCopyOf(runtime, project)).toThrow("more than once");
  });

  it("reports a package that is not installed", () => {
    expect(() => onlyCopyOf(runtime, project)).toThrow("is not installed");
  });
});

describe("a package of ours", () => {
  const complete = ["README.md", "LICENSE", "CHANGELOG.md"];

  it("has no findings with its documents and without private names", () => {
    install("node_modules/@platform-rpc/types");
    for (const file of complete) writeFileSync(join(project, "node_modules/@platform-rpc/types", file), "Words.\n");
    expect(findingsOf("@platform-rpc/types", project)).toEqual([]);
  });

  it("has a finding when a document or one of its files is missing, or it contains a private name", () => {
    install("from");
    writeFileSync(join(project, "from/README.md"), "See @platform-rpc/types-internal.\n");
    writeFileSync(join(project, "from/LICENSE"), "Words.\n");
    writeFileSync(join(project, "from/package.json"), JSON.stringify({ files: ["CHANGELOG.md", "proto"] }));
    cpSync(join(project, "from"), join(project, "node_modules/@platform-rpc/types"), { recursive: true });
    expect(findingsOf("@platform-rpc/types", project)).toEqual([
      "@platform-rpc/types: CHANGELOG.md is missing",
      "@platform-rpc/types: proto is missing",
      "@platform-rpc/types: README.md contains the package of the private contract: types-internal",
    ]);
  });
});
