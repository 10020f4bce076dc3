import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { contractAt, copyContract, workspaceRoot } from "../testing/contract-copy.ts";
import { drift } from "./drift.ts";
import { generate } from "./generate.ts";

const types = "packages/types/src/gen/platform/v1";
const edited = `${types}/item_pb.ts`;
const deleted = `${types}/error_pb.ts`;
const leftBehind = `${types}/old_pb.ts`;

it("the committed generated code matches proto/", async () => {
  expect(await drift(workspaceRoot, await contractAt(workspaceRoot))).toEqual([]);
});

it("names files that were edited, deleted or left behind, and `pnpm generate` fixes them", async () => {
  using copy = copyContract({ generated: true });
  const contract = await contractAt(copy.root);
  appendFileSync(join(copy.root, edited), "// mine\n");
  rmSync(join(copy.root, deleted));
  writeFileSync(join(copy.root, leftBehind), "");
  const [found = ""] = await drift(copy.root, contract);
  expect(found.match(/^ {2}\S+$/gm)?.map((line) => line.trim())).toEqual([deleted, edited, leftBehind]);
  expect(await generate(copy.root, copy.root, contract)).toEqual([]);
  expect(await drift(copy.root, contract)).toEqual([]);
});

it("sees a changed constraint, which only the server's descriptors contain", async () => {
  using copy = copyContract({ generated: true });
  copy.edit("proto/platform/v1/vault_service.proto", /uint32\.gte = 1/, "uint32.gte = 2");
  const [finding = ""] = await drift(copy.root, await contractAt(copy.root));
  expect(finding).toContain("packages/server/src/gen/descriptor-set.ts");
  expect(finding).not.toContain("packages/types/src/gen");
});
