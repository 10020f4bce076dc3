import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lint } from "../lint/lint.ts";
import { contractAt, copyContract } from "../testing/contract-copy.ts";
import { breaking } from "./breaking.ts";
import { release } from "./release.ts";

const today = "2027-01-01";

it("platform.v2 is linted and released next to v1, and then compared with its release", async () => {
  using copy = copyContract();
  const { root } = copy;
  const releaseAs = async (version: string, first = false) => {
    writeFileSync(join(root, "packages/types/package.json"), JSON.stringify({ name: "@platform-rpc/types", version }));
    return (await release(root, await contractAt(root), { first }, today)).map(({ rule }) => rule);
  };
  const rulesOf = async () => (await breaking(root, contractAt(root), today)).map(({ rule }) => rule);
  expect(await releaseAs("0.0.0", true)).toEqual([]);
  expect(await releaseAs("1.0.0")).toEqual([]);

  copy.addV2();
  copy.edit("proto/platform/v2/item.proto", /uint32 sequence/, "int32 sequence");
  expect(await lint(root, contractAt(root), today)).toEqual([]);
  expect(await rulesOf()).toEqual(["package-added"]);
  expect(await releaseAs("1.1.0")).toEqual([]);

  copy.edit("proto/platform/v2/item.proto", /bool deleted = 10/, "bool deleted = 11");
  expect(await rulesOf()).toContain("field-renumbered");
  copy.edit("proto/platform/v2/item.proto", /bool deleted = 11/, "bool deleted = 10");
  expect(await rulesOf()).toEqual([]);
  expect(await releaseAs("1.1.1")).toEqual([]);
});
