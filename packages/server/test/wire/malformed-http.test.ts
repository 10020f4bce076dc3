import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { PublicReason } from "../../src/contract/contract.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { startStub } from "./start-stub.js";
import { deleteItemPath, requestBytes, type WireRequest } from "./wire-request.js";

const test = await startStub(() => {}, { limits: { drainMs: 50 } });
afterAll(test.close);

const text = (request: WireRequest = {}) => requestBytes({ body: {}, ...request }).toString("latin1");
const head = (...lines: string[]) => `${lines.join("\r\n")}\r\n\r\n`;
const chunked = { "Content-Length": undefined, "Transfer-Encoding": "chunked" };
const line = `POST ${deleteItemPath} HTTP/1.1`;

/** Sends bytes, and expects exactly one response, and a closed connection if the response announces it. */
async function expectOne(bytes: string, reason: PublicReason) {
  const connection = test.connect();
  connection.send(bytes);
  const answer = await connection.answer();
  expectRpcError(answer, reason);
  if (answer.header("connection") !== "close") connection.end();
  expect(await connection.closed).toBe("");
  return answer;
}

// The process still runs, and the same listener still serves.
afterEach(async () => {
  expect((await test.send({ body: { itemId: "i-after" } })).status).toBe(200);
  expect(test.called.at(-1)).toBe("i-after");
});

describe("DECISIONS 6: MALFORMED_HTTP, also from Node itself", () => {
  it.each([
    ["a bad request line", "NONSENSE\r\n\r\n"],
    ["an unknown verb", head(`BREW ${deleteItemPath} HTTP/1.1`, "Host: x")],
    ["HTTP/0.9", "GET /\r\n\r\n"],
    ["HTTP/2.0 on a request line", head(`POST ${deleteItemPath} HTTP/2.0`, "Host: x")],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a TLS client hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["Host: [", text({ headers: { Host: "[" } })],
    ["two Hosts", text({ headers: { Host: ["a", "b"] } })],
    ["space before a colon", head(line, "Host : x")],
    ["a folded header", head(line, "Host: x", "A: b", " c")],
    ["a header without a name", head(line, "Host: x", ": y")],
    ["NUL in a header", head(line, "Host: x", "A: b\0c")],
    ["bare line feeds", `${line}\nHost: x\n\n`],
    ["Content-Length with Transfer-Encoding", text({ headers: { "Transfer-Encoding": "chunked" } })],
    ["two Content-Lengths", text({ headers: { "Content-Length": ["2", "3"] } })],
    ["a Content-Length that is not a number", text({ headers: { "Content-Length": "2x" } })],
    ["a bad chunk size", text({ headers: chunked, body: "zz\r\n" })],
    ["a chunk longer than its size", text({ headers: chunked, body: "1\r\n{}\r\n0\r\n\r\n" })],
  ])("%s", async (_, bytes) => {
    const answer = await expectOne(bytes, "MALFORMED_HTTP");
    expect(await test.lineOf(answer.header("x-request-id") ?? "")).toMatchObject({ reason: "MALFORMED_HTTP" });
  });

  it("invalid chunks after a partial body get one response, whatever follows", async () => {
    const connection = test.connect();
    connection.send(text({ headers: chunked, body: "1\r\n{\r\n" }));
    connection.send("zz\r\n");
    expectRpcError(await connection.answer(), "MALFORMED_HTTP");
    connection.send("zz\r\n".repeat(100));
    expect(await connection.closed).toBe("");
  });
});

describe("DECISIONS 7: headers are at most 16 KiB", () => {
  it("larger headers are HEADERS_TOO_LARGE (431), detected by Node's parser", async () => {
    await expectOne(head(line, "Host: x", `A: ${"b".repeat(20_000)}`), "HEADERS_TOO_LARGE");
    await expectOne(head(`POST /${"x".repeat(20_000)} HTTP/1.1`, "Host: x"), "HEADERS_TOO_LARGE");
    await expectOne(head(line, "Host: x", ...Array.from({ length: 30_000 }, () => "a:b")), "HEADERS_TOO_LARGE");
  });

  it("thousands of small headers within the limit are all read", async () => {
    const many = Array.from({ length: 2700 }, () => "a:b");
    const headers = ["Content-Type: application/json", "Connect-Protocol-Version: 1", "Content-Length: 2"];
    const connection = test.connect();
    connection.send(`${head(line, ...many, "Host: x", ...headers)}{}`);
    expect((await connection.answer()).status).toBe(200);
  });
});

describe("unusual but well-formed requests", () => {
  it.each([
    ["HTTP/1.0 without Host", text({ httpVersion: "1.0", headers: { Host: undefined } })],
    ["the absolute form", text({ target: `http://elsewhere${deleteItemPath}` })],
    ["an upgrade to WebSocket", text({ headers: { Connection: "Upgrade", Upgrade: "websocket" } })],
  ])("%s is served", async (_, bytes) => {
    const connection = test.connect();
    connection.send(bytes);
    expect((await connection.answer()).status).toBe(200);
  });

  it.each(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "QUERY"])(
    "%s of an operation is METHOD_NOT_ALLOWED, with Allow (RFC 9110 section 15.5.6)",
    async (verb) => {
      const answer = await test.send({ verb, headers: { "Content-Length": undefined } });
      expect({ status: answer.status, allow: answer.header("allow") }).toEqual({ status: 405, allow: "POST" });
      expect(answer.header("cache-control")).toBe("no-store");
      // A response to HEAD has the headers of the response to GET, and no body (RFC 9110 section 9.3.2).
      if (verb === "HEAD") expect(Number(answer.header("content-length"))).toBeGreaterThan(0);
      else expectRpcError(answer, "METHOD_NOT_ALLOWED");
    },
  );

  it("CONNECT is OPERATION_UNKNOWN", async () => {
    await expectOne(head("CONNECT x:1 HTTP/1.1", "Host: x"), "OPERATION_UNKNOWN");
  });
});
