import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ContractCopy, contractAt, copyContract } from "../testing/contract-copy.ts";
import { readBaseline, releasedFolder } from "./baseline.ts";
import { breaking } from "./breaking.ts";
import { release } from "./release.ts";

const today = "2027-01-01";
const item = "proto/platform/v1/item.proto";

async function rulesOf(root: string): Promise<readonly string[]> {
  const findings = await breaking(root, contractAt(root), today);
  return findings.filter(({ verdict }) => verdict !== "noted").map(({ rule }) => rule);
}

async function releaseAt(root: string, version?: string, first = false): Promise<readonly string[]> {
  if (version !== undefined) {
    const manifest = join(root, "packages/types/package.json");
    const text = readFileSync(manifest, "utf8").replace(/"version": "[^"]*"/, `"version": "${version}"`);
    writeFileSync(manifest, text);
  }
  const findings = await release(root, await contractAt(root), { first }, today);
  return findings.map(({ rule }) => rule);
}

function writeChangeset(root: string, name: string, level: string, text: string): void {
  mkdirSync(join(root, ".changeset"), { recursive: true });
  writeFileSync(join(root, `.changeset/${name}.md`), `---\n"@platform-rpc/types": ${level}\n---\n\n${text}\n`);
}

describe("DECISIONS section 8: the released contract cannot be bypassed", () => {
  let copy: ContractCopy;
  beforeAll(async () => {
    copy = copyContract();
    expect(await rulesOf(copy.root)).toEqual(["baseline"]);
    expect(await releaseAt(copy.root, "0.0.0", true)).toEqual([]);
    expect(await releaseAt(copy.root, "0.0.0", true)).toEqual([]);
    expect(await releaseAt(copy.root, "1.0.0")).toEqual([]);
  });
  afterAll(() => copy[Symbol.dispose]());

  it("does not record a draft over a release", async () => {
    expect(await releaseAt(copy.root, "1.0.0", true)).toEqual(["release-first"]);
  });

  it.each(["contract.binpb", "packages.json", "release.json"])(
    "is not used after %s was edited by hand",
    async (file) => {
      const path = join(copy.root, releasedFolder, file);
      const before = readFileSync(path);
      if (file === "release.json") writeFileSync(path, before.toString().replace('"1.0.0"', "null"));
      else appendFileSync(path, " ");
      const baseline = readBaseline(copy.root);
      expect("faults" in baseline && baseline.faults[0]?.verdict).toBe("unjudged");
      expect(await releaseAt(copy.root, "1.0.0", true)).toEqual(["baseline"]);
      writeFileSync(path, before);
      expect("faults" in readBaseline(copy.root)).toBe(false);
    },
  );

  it("is compared unless every published file is the same, comments included", async () => {
    const isSame = async () => {
      const contract = await contractAt(copy.root);
      const baseline = readBaseline(copy.root, contract);
      return "contract" in baseline && baseline.contract === contract;
    };
    expect(await isSame()).toBe(true);
    copy.edit(
      "proto/platform/internal/v1/maintenance_service.proto",
      /package platform/,
      "// Private.\npackage platform",
    );
    expect(await isSame()).toBe(true);
    copy.edit(item, /message Cursor \{\n/, "message Cursor {\n  // Words.\n");
    expect(await isSame()).toBe(false);
    copy.edit(item, /message Cursor \{\n {2}\/\/ Words\.\n/, "message Cursor {\n");
    writeFileSync(join(copy.root, "proto/platform/v1/more.proto"), 'syntax = "proto3";\n\npackage platform.v1;\n');
    expect(await isSame()).toBe(false);
    rmSync(join(copy.root, "proto/platform/v1/more.proto"));
    expect(await isSame()).toBe(true);
  });

  it("requires a minor changeset that names an addition, and a minor version to release it", async () => {
    copy.edit(item, /message Cursor \{\n/, "message Cursor {\n  // The etag.\n  string etag = 99;\n");
    expect(await rulesOf(copy.root)).toEqual(["field-added"]);
    writeChangeset(copy.root, "stale", "minor", "Adds `RestoreItem`.");
    writeChangeset(copy.root, "patch", "patch", "Adds `Cursor.etag`.");
    expect(await rulesOf(copy.root)).toEqual(["field-added"]);
    writeChangeset(copy.root, "own", "minor", "Adds `Cursor.etag`.");
    expect(await rulesOf(copy.root)).toEqual([]);
    expect(await releaseAt(copy.root, "1.0.0")).toEqual(["release-version"]);
    expect(await releaseAt(copy.root, "1.0.1")).toEqual(["release-version"]);
    expect(await releaseAt(copy.root, "1.1.0")).toEqual([]);
    expect(readBaseline(copy.root)).toMatchObject({ version: "1.1.0" });
  });

  it("rejects a breaking change that only buf detects, regardless of buf.yaml", async () => {
    const path = join(copy.root, "buf.yaml");
    const before = readFileSync(path, "utf8");
    writeFileSync(path, `${before}breaking:\n  use: [WIRE]\n  ignore: [proto/platform]\n`);
    copy.edit(item, /syntax = "proto3";\n/, 'syntax = "proto3";\noption java_package = "x";\n');
    expect(await rulesOf(copy.root)).toEqual(["buf-breaking"]);
    expect(await releaseAt(copy.root, "2.0.0")).toEqual(["buf-breaking"]);
    copy.edit(item, /option java_package = "x";\n/, "");
    writeFileSync(path, before);
  });

  it("treats a raised retry safety as an addition, although buf does not", async () => {
    const gateway = "proto/platform/v1/identity_gateway_service.proto";
    copy.edit(gateway, /RETRY_SAFETY_WITH_KEY/, "RETRY_SAFETY_IDEMPOTENT");
    copy.edit(
      gateway,
      / {4}option \(platform\.options\.v1\.operation\)/,
      "    option idempotency_level = IDEMPOTENT;\n$&",
    );
    expect(await rulesOf(copy.root)).toEqual(["retry-safety-raised"]);
    copy.edit(gateway, / {4}option idempotency_level = IDEMPOTENT;\n/, "");
    copy.edit(gateway, /RETRY_SAFETY_IDEMPOTENT/, "RETRY_SAFETY_WITH_KEY");
  });
});
