import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyContract, workspaceRoot } from "./contract-copy.ts";
import { drift } from "./drift.ts";
import { generate } from "./generate.ts";

const generated = "packages/types/src/gen/platform/v1/item_pb.ts";

it("finds the committed generated code to be what proto/ gives", () => {
  expect(drift(workspaceRoot)).toEqual([]);
});

it.each([
  ["edited by hand", (root: string) => appendFileSync(join(root, generated), "// mine\n"), generated],
  ["deleted", (root: string) => rmSync(join(root, generated)), generated],
  ["left behind", (root: string) => writeFileSync(join(root, "packages/types/src/gen/old_pb.ts"), ""), "gen/old_pb.ts"],
])("names a generated file that was %s", (_fault, spoil, named) => {
  using copy = copyContract();
  spoil(copy.root);
  expect(drift(copy.root).join()).toContain(named);
});

it("leaves to `pnpm generate` to mend what it finds", () => {
  using copy = copyContract();
  rmSync(join(copy.root, generated));
  expect(drift(copy.root)).not.toEqual([]);
  expect(drift(copy.root)).not.toEqual([]);
  expect(generate(copy.root, copy.root)).toEqual([]);
  expect(drift(copy.root)).toEqual([]);
});

it("sees that proto/ moved on, also by a constraint that no generated message shows", () => {
  using copy = copyContract();
  copy.edit("v1/vault_service.proto", /uint32\.gte = 1/, "uint32.gte = 2");
  const [finding = ""] = drift(copy.root);
  expect(finding).toContain("packages/server/src/gen/constraints.ts");
  expect(finding).not.toContain("packages/types/src/gen");
});

it("fails when a template cannot be generated, instead of comparing what is there", () => {
  using copy = copyContract();
  copy.edit("v1/item.proto", /message Cursor {/, "massage Cursor {");
  expect(drift(copy.root).join()).toContain("item.proto");
});
