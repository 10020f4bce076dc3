import { expect, it } from "vitest";
import { startRegistryServer } from "./testing/registry-server.ts";
import { unpublishedOf } from "./unpublished.ts";

const documents = {
  "/@scope%2freleased": { versions: { "1.0.0": {}, "1.1.0": {} } },
  "/@scope%2fbehind": { versions: { "1.0.0": {} } },
};
const packageOf = (name: string) => ({ folder: "", manifest: { name: `@scope/${name}`, version: "1.1.0" } });

it.each([
  ["none, after a release", ["released"], []],
  ["those that an interrupted release left", ["released", "behind"], ["@scope/behind"]],
  ["all, when the registry knows none of them", ["one", "two"], ["@scope/one", "@scope/two"]],
])("what a release has to publish: %s", async (_, names, expected) => {
  const unpublished = await unpublishedOf(names.map(packageOf), await startRegistryServer(documents));
  expect(unpublished.map(({ manifest }) => manifest.name)).toEqual(expected);
});
