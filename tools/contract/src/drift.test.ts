import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyContract, workspaceRoot } from "./contract-copy.ts";
import { drift } from "./drift.ts";
import { generate } from "./generate.ts";

const types = "packages/types/src/gen/platform/v1";
const edited = `${types}/item_pb.ts`;
const deleted = `${types}/error_pb.ts`;
const leftBehind = `${types}/old_pb.ts`;

it("finds the committed generated code to be what proto/ gives", async () => {
  expect(await drift(workspaceRoot)).toEqual([]);
});

it("names the files that were edited by hand, deleted or left behind, and `pnpm generate` mends them", async () => {
  using copy = copyContract();
  appendFileSync(join(copy.root, edited), "// mine\n");
  rmSync(join(copy.root, deleted));
  writeFileSync(join(copy.root, leftBehind), "");
  const [found = ""] = await drift(copy.root);
  expect(found.match(/^ {2}\S+$/gm)?.map((line) => line.trim())).toEqual([deleted, edited, leftBehind]);
  expect(await generate(copy.root, copy.root)).toEqual([]);
  expect(await drift(copy.root)).toEqual([]);
});

it("sees that proto/ moved on, also by a constraint that no generated message shows", async () => {
  using copy = copyContract();
  copy.edit("v1/vault_service.proto", /uint32\.gte = 1/, "uint32.gte = 2");
  const [finding = ""] = await drift(copy.root);
  expect(finding).toContain("packages/server/src/gen/constraints.ts");
  expect(finding).not.toContain("packages/types/src/gen");
});

it("fails when a template cannot be generated, instead of comparing what is there", async () => {
  using copy = copyContract();
  copy.edit("v1/item.proto", /message Cursor {/, "massage Cursor {");
  expect((await drift(copy.root)).join()).toContain("item.proto");
});
