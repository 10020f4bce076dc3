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

it("generates functions that write JSON only for responses whose fields have a simple type", () => {
  const text = files.get("server/src/gen/json-writers.ts");
  expect(text).toContain("export type PlainResponse = CountItemsResponse;");
  expect(text).toContain("count: number(message.count),");
  expect(text).not.toContain("ListItemsResponse");
});
