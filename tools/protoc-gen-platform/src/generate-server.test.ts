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

it("generates functions that write JSON only for responses whose fields have a simple type, and says why the others have none", () => {
  const text = files.get("server/src/gen/json-writers.ts") ?? "";
  const [reasons = ""] = /(?<=\n\n)(?:\/\/ .*\n)+/.exec(text) ?? [];
  expect(reasons).toBe(
    "// platform.v1.ListItemsResponse has no function: its field newest has the type platform.v1.Item, which has none.\n" +
      "// platform.v1.Item has no function: its field a_long is of the type int64.\n" +
      "// google.protobuf.UInt32Value has no function: its package has no index.\n",
  );
  expect(text).toContain("type Response =\n  | CountItemsResponse;");
  expect(text).toContain("count: number(message.count),");
});

it.each(["internal", "accounts"])(
  "only the writers of private operations contain the responses of platform.%s",
  (area) => {
    const { file } = compileItems();
    const [items] = file.filter(({ package: name }) => name === "platform.v1");
    const name = `platform/${area}/v1/count_service.proto`;
    const service = create(FileDescriptorProtoSchema, {
      ...{ name, package: `platform.${area}.v1`, syntax: "proto3", dependency: [items?.name ?? ""] },
      messageType: [
        {
          name: "CountItemsResponse",
          field: [{ name: "item_count", jsonName: "itemCount", number: 1, type: 13, label: 1 }],
        },
      ],
      service: [
        {
          name: "CountService",
          method: [
            {
              ...{ name: "Count", inputType: ".platform.v1.CountItemsRequest" },
              outputType: `.platform.${area}.v1.CountItemsResponse`,
            },
          ],
        },
      ],
    });
    const generated = runPlugin(create(FileDescriptorSetSchema, { file: [...file, service] }), "emit=packages", name);
    expect(generated.get("server/src/gen/json-writers.ts")).not.toContain(area);
    const text = generated.get("types-internal/src/gen/json-writers.ts") ?? "";
    const alias = `${area === "internal" ? "Internal" : "Accounts"}CountItemsResponse`;
    expect(text).toContain(`  CountItemsResponse as ${alias},\n} from "./platform/${area}/v1/count_service_pb.js";`);
    expect(text).toContain("type Response =\n  | CountItemsResponse\n");
    expect(text).toContain(`itemCount: number(message.itemCount),`);
  },
);
