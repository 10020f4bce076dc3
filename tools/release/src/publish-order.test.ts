import { expect, it } from "vitest";
import { inPublishOrder } from "./publish-order.ts";
import { publishedPackages, root } from "./workspace.ts";

it("every package follows the packages that it depends on, and none is lost", () => {
  const packages = publishedPackages(root);
  const order = inPublishOrder(packages).map(({ manifest }) => manifest.name);
  expect([...order].sort()).toEqual(packages.map(({ manifest }) => manifest.name).sort());
  for (const { manifest } of packages) {
    const earlier = order.slice(0, order.indexOf(manifest.name));
    const own = Object.keys(manifest.dependencies ?? {}).filter((name) => order.includes(name));
    expect(earlier).toEqual(expect.arrayContaining(own));
  }
});

it("also follows the dependencies of dependencies", () => {
  const pack = (name: string, ...needs: readonly string[]) => ({
    folder: name,
    manifest: { name, version: "1.0.0", dependencies: Object.fromEntries(needs.map((need) => [need, "1.0.0"])) },
  });
  const order = inPublishOrder([pack("a", "b"), pack("b", "c"), pack("c", "elsewhere")]);
  expect(order.map(({ folder }) => folder)).toEqual(["c", "b", "a"]);
});
