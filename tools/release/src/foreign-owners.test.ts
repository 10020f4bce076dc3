import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { foreignOwnersOf } from "./foreign-owners.ts";

const documents: Readonly<Record<string, { status: number; body: unknown }>> = {
  "/@scope%2fmine": { status: 200, body: { maintainers: [{ name: "ada" }, { name: "grace" }], versions: {} } },
  "/@scope%2ftheirs": { status: 200, body: { maintainers: [{ name: "mallory" }], versions: { "1.0.0": {} } } },
  "/@scope%2fabandoned": { status: 200, body: {} },
  "/@scope%2fbroken": { status: 500, body: {} },
};
const server = createServer((request, response) => {
  const { status, body } = documents[request.url ?? ""] ?? { status: 404, body: { error: "Not found" } };
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
});
let registry = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  registry = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
});
afterAll(() => new Promise<unknown>((resolve) => server.close(resolve)));

describe("a package name whose owner is not the publisher is refused", () => {
  it.each([
    ["a name that does not exist", ["@scope/new"], []],
    ["a name that the publisher maintains", ["@scope/mine"], []],
    ["a name of somebody else", ["@scope/mine", "@scope/theirs"], ["@scope/theirs belongs to mallory"]],
    ["a name without maintainers", ["@scope/abandoned"], ["@scope/abandoned belongs to nobody"]],
  ])("%s", async (_, names, findings) => {
    const found = await foreignOwnersOf(names, "grace", registry);
    expect(found).toEqual(findings.map((finding) => expect.stringContaining(finding)));
  });

  it("a registry that fails is an error, not a pass", async () => {
    await expect(foreignOwnersOf(["@scope/broken"], "grace", registry)).rejects.toThrow("answered 500");
    await expect(foreignOwnersOf(["@scope/new"], "grace", "http://127.0.0.1:1")).rejects.toThrow();
  });
});
