import { create } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { compileItems, filesIn, runPlugin } from "./testing/run-plugin.ts";

const files = runPlugin(compileItems(), "emit=packages");

it.each([
  [
    "public",
    "server/src/gen",
    /ListItems":\s+\| "VAULT_NOT_FOUND"\s+\| "VERSION_CONFLICT";/,
    'CountItems": never;',
    "HideItem",
  ],
  [
    "private",
    "types-internal/src/gen",
    /HideItem":\s+\| "VAULT_NOT_FOUND";/,
    'EveryCallReason =\n    | "INTERNAL";',
    "ListItems",
  ],
])("types the reasons of the %s operations, in %s", (_visibility, folder, listed, contained, hidden) => {
  const text = files.get(`${folder}/operation-reasons.ts`);
  expect(text).toMatch(listed);
  expect(text).toContain(contained);
  expect(text).not.toContain(hidden);
});

it("the descriptor set contains the given files with their options, without comments", () => {
  const text = files.get("server/src/gen/descriptor-set.ts") ?? "";
  const [, base64 = ""] = /descriptorSet =\s+"([^"]+)"/.exec(text) ?? [];
  expect(filesIn(base64)).toEqual([{ name: "platform/v1/items.proto", comments: false }]);
  expect(Buffer.from(base64, "base64").toString("latin1")).toContain("this != ''");
});

it.each(["internal", "accounts"])("only the descriptor set of private operations contains platform.%s", (area) => {
  const { file } = compileItems();
  const name = `platform/${area}/v1/empty.proto`;
  const empty = create(FileDescriptorProtoSchema, { name, package: `platform.${area}.v1`, syntax: "proto3" });
  const generated = runPlugin(create(FileDescriptorSetSchema, { file: [...file, empty] }), "emit=packages", name);
  const namesIn = (folder: string) => {
    const [, base64 = ""] =
      /descriptorSet =\s+"([^"]*)"/.exec(generated.get(`${folder}/descriptor-set.ts`) ?? "") ?? [];
    return filesIn(base64).map((found) => found.name);
  };
  expect(namesIn("types-internal/src/gen")).toEqual(["platform/v1/items.proto", name]);
  expect(namesIn("server/src/gen")).toEqual(["platform/v1/items.proto"]);
});

it("generates functions that write JSON only for responses whose fields have a simple type", () => {
  const text = files.get("server/src/gen/json-writers.ts");
  expect(text).toContain("export type PlainResponse = CountItemsResponse;");
  expect(text).toContain("count: number(message.count),");
  expect(text).not.toContain("ListItemsResponse");
});
