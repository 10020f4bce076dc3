import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { contractAt, copyContract } from "../testing/contract-copy.ts";
import { differences, generate, readGenerated } from "./generate.ts";

const types = "packages/types/src/gen/platform/v1";
const edited = `${types}/item_pb.ts`;
const deleted = `${types}/error_pb.ts`;
const leftBehind = `${types}/old_pb.ts`;

it("lists files that were edited, deleted, left behind or outdated, and those of a new version", async () => {
  using copy = copyContract({ generated: true });
  copy.addV2();
  // A changed constraint shows in nothing else: published messages carry none.
  copy.edit("proto/platform/v1/vault_service.proto", /uint32\.gte = 1/, "uint32.gte = 2");
  const target = join(copy.root, "fresh");
  mkdirSync(join(target, types), { recursive: true });
  for (const root of [copy.root, target]) writeFileSync(join(root, leftBehind), "");
  expect(await generate(copy.root, target, await contractAt(copy.root))).toEqual([]);
  const fresh = readGenerated(target);
  expect(fresh.has(leftBehind)).toBe(false);
  expect(fresh.get("packages/server/src/gen/operation-reasons.ts")).toContain("platform.v2.VaultService/DeleteItem");
  const v2 = fresh.get("apps/platform/src/gen/openapi.v2.json");
  expect(v2).toContain('"docs/errors/v2/VERSION_CONFLICT"');
  expect(v2).not.toContain("platform.v1");
  const [, set = ""] = fresh.get("packages/server/src/gen/descriptor-set.ts")?.split('"') ?? [];
  expect(Buffer.from(set, "base64").includes("platform/v2/item.proto")).toBe(true);

  appendFileSync(join(copy.root, edited), "// mine\n");
  rmSync(join(copy.root, deleted));
  const [found] = differences(readGenerated(copy.root), fresh);
  const named = found?.message.match(/^ {2}\S+$/gm)?.map((line) => line.trim()) ?? [];
  expect(found?.place.file).toBe(named[0]);
  expect(named.filter((file) => file.startsWith(types))).toEqual([deleted, edited, leftBehind]);
  expect(named).toEqual(
    expect.arrayContaining([
      "apps/platform/src/gen/openapi.json",
      "apps/platform/src/gen/openapi.v2.json",
      "docs/errors/v2/VERSION_CONFLICT.md",
      "packages/server/src/gen/descriptor-set.ts",
      "packages/private/types-internal/src/gen/descriptor-set.ts",
      "packages/types-connect-v1/src/gen/platform/v2/item_pb.ts",
      "packages/types/src/gen/platform/v2/item_pb.ts",
      "packages/types/src/gen/v2.ts",
    ]),
  );
  expect(named.filter((file) => file.startsWith("packages/client/"))).toEqual([]);
  expect(differences(fresh, fresh)).toEqual([]);
});
