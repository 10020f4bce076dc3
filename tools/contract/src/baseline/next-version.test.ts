import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { generate } from "../generate/generate.ts";
import { lint } from "../lint/lint.ts";
import { contractAt, copyContract } from "../testing/contract-copy.ts";
import { breaking } from "./breaking.ts";
import { release } from "./release.ts";

const today = "2027-01-01";

/** Adds platform.v2 as a copy of v1. */
function addV2(root: string): void {
  const folder = join(root, "proto/platform/v2");
  cpSync(join(root, "proto/platform/v1"), folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), "utf8");
    writeFileSync(
      join(folder, file),
      text.replaceAll("platform.v1", "platform.v2").replaceAll("platform/v1/", "platform/v2/"),
    );
  }
}

it("platform.v2 is linted, generated, documented and released next to v1, and then compared with its release", async () => {
  using copy = copyContract({ generated: true });
  const { root } = copy;
  const releaseAs = async (version: string, first = false) => {
    writeFileSync(join(root, "packages/types/package.json"), JSON.stringify({ version }));
    return (await release(root, await contractAt(root), { first }, today)).map(({ rule }) => rule);
  };
  const rulesOf = async () => (await breaking(root, contractAt(root), today)).map(({ rule }) => rule);
  expect(await releaseAs("0.0.0", true)).toEqual([]);
  expect(await releaseAs("1.0.0")).toEqual([]);

  addV2(root);
  copy.edit("proto/platform/v2/item.proto", /uint32 sequence/, "int32 sequence");
  expect(await lint(root, contractAt(root), today)).toEqual([]);
  expect(await rulesOf()).toEqual(["package-added"]);
  const contract = await contractAt(root);
  const leftBehind = join(root, "packages/types/src/gen/platform/v1/old_pb.ts");
  writeFileSync(leftBehind, "");
  expect(await generate(root, root, contract)).toEqual([]);
  expect(existsSync(leftBehind)).toBe(false);
  const has = (file: string, words: string) => expect(readFileSync(join(root, file), "utf8")).toContain(words);
  has("packages/types/src/gen/platform/v2/item_pb.ts", "platform.v2.Item");
  has("packages/types-connect-v1/src/gen/platform/v2/item_pb.ts", "platform.v2.Item");
  has("packages/server/src/gen/operation-reasons.ts", "platform.v2.VaultService/DeleteItem");
  has("packages/server/src/gen/descriptor-set.ts", "proto/platform/v2");
  has("apps/reference/src/gen/openapi.v2.json", "/platform.v2.VaultService/DeleteItem");
  has("docs/errors/v2/VERSION_CONFLICT.md", "VERSION_CONFLICT");
  expect(await releaseAs("1.1.0")).toEqual([]);

  copy.edit("proto/platform/v2/item.proto", /bool deleted = 10/, "bool deleted = 11");
  expect(await rulesOf()).toContain("field-renumbered");
  copy.edit("proto/platform/v2/item.proto", /bool deleted = 11/, "bool deleted = 10");
  expect(await rulesOf()).toEqual([]);
  expect(await releaseAs("1.1.1")).toEqual([]);
});
