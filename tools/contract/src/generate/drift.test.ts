import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { contractAt, copyContract } from "../testing/contract-copy.ts";
import { drift } from "./drift.ts";

const types = "packages/types/src/gen/platform/v1";
const edited = `${types}/item_pb.ts`;
const deleted = `${types}/error_pb.ts`;
const leftBehind = `${types}/old_pb.ts`;
/** A changed constraint shows in nothing else: published messages carry none. */
const constraints = [
  "apps/reference/src/gen/openapi.json",
  "packages/server/src/gen/descriptor-set.ts",
  "packages/types-internal/src/gen/descriptor-set.ts",
];

it("lists files that were edited, deleted, left behind or outdated", async () => {
  using copy = copyContract({ generated: true });
  const path = (file: string) => join(copy.root, file);
  appendFileSync(path(edited), "// mine\n");
  rmSync(path(deleted));
  writeFileSync(path(leftBehind), "");
  copy.edit("proto/platform/v1/vault_service.proto", /uint32\.gte = 1/, "uint32.gte = 2");
  const contract = await contractAt(copy.root);
  const [found = ""] = await drift(copy.root, contract);
  const named = found.match(/^ {2}\S+$/gm)?.map((line) => line.trim()) ?? [];
  expect(named.filter((file) => file.startsWith(types))).toEqual([deleted, edited, leftBehind]);
  expect(named).toEqual(expect.arrayContaining(constraints));
});
