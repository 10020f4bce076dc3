import { describe, expect, it } from "vitest";
import { foreignOwnersOf } from "./foreign-owners.ts";
import { startRegistryServer } from "./testing/registry-server.ts";

const documents = {
  "/@scope%2fmine": { maintainers: [{ name: "ada" }, { name: "grace" }], versions: {} },
  "/@scope%2ftheirs": { maintainers: [{ name: "mallory" }], versions: { "1.0.0": {} } },
  "/@scope%2fabandoned": {},
  "/@scope%2fbroken": { status: 500 },
};

describe("a package name whose owner is not the publisher is rejected", () => {
  it.each([
    ["a name that does not exist", ["@scope/new"], []],
    ["a name that the publisher maintains", ["@scope/mine"], []],
    ["a name of somebody else", ["@scope/mine", "@scope/theirs"], ["@scope/theirs belongs to mallory"]],
    ["a name without maintainers", ["@scope/abandoned"], ["@scope/abandoned belongs to nobody"]],
  ])("%s", async (_, names, findings) => {
    const found = await foreignOwnersOf(names, "grace", await startRegistryServer(documents));
    expect(found).toEqual(findings.map((finding) => expect.stringContaining(finding)));
  });

  it("a registry that fails is an error, not a pass", async () => {
    const registry = await startRegistryServer(documents);
    await expect(foreignOwnersOf(["@scope/broken"], "grace", registry)).rejects.toThrow("returned status 500");
    await expect(foreignOwnersOf(["@scope/new"], "grace", "http://127.0.0.1:1")).rejects.toThrow();
  });
});
