import { expect, it } from "vitest";
import { compileItems, runPlugin } from "./testing/run-plugin.ts";

const registry = (options = "") =>
  runPlugin(compileItems(), `emit=packages${options}`).get("server/src/gen/registry.ts");

it("an operation without a rule does not compile: the registry imports the rule of each public operation", () => {
  expect(registry()).toContain('import type { listItems } from "../domain/list-items.js";');
  expect(registry()).toContain('readonly "platform.v1.ItemService/ListItems": typeof listItems;');
  expect(registry()).not.toContain("hide-item");
});

it("a service without an implementation does not compile: the registry requires one for each", () => {
  expect(registry()).toContain("readonly itemService: ServiceImpl<typeof ItemService>;");
  expect(registry()).toContain("router.service(ItemService, implementations.itemService);");
});

it("a rule may have another name than its operation", () => {
  expect(registry(",rule=ListItems:findItems")).toContain('import type { findItems } from "../domain/find-items.js";');
});
