import { afterAll, describe, expect, it } from "vitest";
import { jsonDocument } from "../../src/http/documents.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { startStub } from "./start-stub.js";
import { deleteItemPath, requestBytes, type WireRequest } from "./wire-request.js";

const test = await startStub(() => {}, {
  hosts: ["localhost", "127.0.0.1", "[::1]", "platform.internal"],
  documents: new Map([["/healthz", jsonDocument(200, { status: "ok" })]]),
});
afterAll(test.close);

const call = (request: WireRequest) => test.send({ body: {}, ...request });

describe("a listener with an allowlist of hosts", () => {
  it.each([
    ["a name and a port", "localhost:8081"],
    ["a name in other letter case", "LocalHost"],
    ["an IPv6 address", "[::1]:8081"],
    ["a name from the list", "platform.internal"],
  ])("accepts %s", async (_, Host) => {
    expect((await call({ headers: { Host } })).status).toBe(200);
  });

  it.each([
    ["a foreign name that resolves to its address", { headers: { Host: "attacker.example:8081" } }],
    ["an empty Host", { headers: { Host: "" } }],
    ["no Host, in HTTP/1.0", { httpVersion: "1.0", headers: { Host: undefined } }],
    [
      "another host in absolute form",
      { target: `http://attacker.example${deleteItemPath}`, headers: { Host: "localhost" } },
    ],
    ["a document of another host in absolute form", { verb: "GET", target: "http://attacker.example/healthz" }],
    ["a document", { verb: "GET", target: "/healthz", headers: { Host: "attacker.example" } }],
  ] satisfies [string, WireRequest][])("rejects %s as OPERATION_UNKNOWN, before the token", async (_, request) => {
    const before = test.called.length;
    expect(expectRpcError(await call(request), "OPERATION_UNKNOWN").message).toContain("set Host to localhost");
    expect(test.called).toHaveLength(before);
  });

  it("rejects a CONNECT too", async () => {
    const connection = test.connect();
    connection.send("CONNECT x:1 HTTP/1.1\r\nHost: attacker.example\r\n\r\n");
    expectRpcError(await connection.answer(), "OPERATION_UNKNOWN");
  });

  it("uses the host of a target in absolute form instead of the Host header", async () => {
    const target = `http://localhost:8081${deleteItemPath}`;
    const connection = test.connect();
    connection.send(requestBytes({ target, headers: { Host: "attacker.example" }, body: {} }));
    expect((await connection.answer()).status).toBe(200);
  });
});
