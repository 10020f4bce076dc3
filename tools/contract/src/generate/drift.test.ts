import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ContractCopy, contractAt, copyContract } from "../testing/contract-copy.ts";
import { drift, readGenerated } from "./drift.ts";
import { generate } from "./generate.ts";

const types = "packages/types/src/gen/platform/v1";
const edited = `${types}/item_pb.ts`;
const deleted = `${types}/error_pb.ts`;
const leftBehind = `${types}/old_pb.ts`;

let copy: ContractCopy;
beforeAll(() => {
  copy = copyContract({ generated: true });
  copy.addV2();
});
afterAll(() => copy[Symbol.dispose]());

it("lists files that were edited, deleted, left behind or outdated, and those of a new version", async () => {
  const path = (file: string) => join(copy.root, file);
  const before = readFileSync(path(edited));
  appendFileSync(path(edited), "// mine\n");
  rmSync(path(deleted));
  writeFileSync(path(leftBehind), "");
  // A changed constraint shows in nothing else: published messages carry none.
  copy.edit("proto/platform/v1/vault_service.proto", /uint32\.gte = 1/, "uint32.gte = 2");
  const [found] = await drift(copy.root, await contractAt(copy.root));
  const named = found?.message.match(/^ {2}\S+$/gm)?.map((line) => line.trim()) ?? [];
  expect(named.filter((file) => file.startsWith(types))).toEqual([deleted, edited, leftBehind]);
  expect(named).toEqual(
    expect.arrayContaining([
      "apps/reference/src/gen/openapi-documents.ts",
      "apps/reference/src/gen/openapi.json",
      "apps/reference/src/gen/openapi.v2.json",
      "docs/errors/v2/VERSION_CONFLICT.md",
      "packages/server/src/gen/descriptor-set.ts",
      "packages/types-internal/src/gen/descriptor-set.ts",
      "packages/types-connect-v1/src/gen/platform/v2/item_pb.ts",
      "packages/types/src/gen/platform/v2/item_pb.ts",
      "packages/types/src/gen/v2.ts",
    ]),
  );
  expect(named.filter((file) => file.startsWith("packages/client/"))).toEqual([]);
  expect(readFileSync(path(edited), "utf8")).toBe(`${before}// mine\n`);
});

it("pnpm generate removes what is left behind, and what it writes does not drift", async () => {
  const contract = await contractAt(copy.root);
  expect(await generate(copy.root, copy.root, contract)).toEqual([]);
  const files = readGenerated(copy.root);
  expect(files.has(leftBehind)).toBe(false);
  expect(files.get("packages/server/src/gen/operation-reasons.ts")).toContain("platform.v2.VaultService/DeleteItem");
  const [, set = ""] = files.get("packages/server/src/gen/descriptor-set.ts")?.split('"') ?? [];
  expect(Buffer.from(set, "base64").includes("platform/v2/item.proto")).toBe(true);
});
