import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { startStub } from "./start-stub.js";
import { describeWith, ownConnections } from "./test-server.js";
import { requestBytes, type WireRequest } from "./wire-request.js";

const test = await startStub();
const impatient = await startStub(() => {}, { limits: { receiveTimeoutMs: 300, drainMs: 200 } });
const brief = await startStub(() => {}, { limits: { drainMs: 100 } });
afterAll(() => Promise.all([test.close(), impatient.close(), brief.close()]));

const chunked = { "Content-Length": undefined, "Transfer-Encoding": "chunked" };
const asChunks = (...parts: string[]) =>
  [...parts, ""].map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join("");

/** Sends the headers of a request. The test sends the body. */
function begin(request: WireRequest, stub = test) {
  const connection = stub.connect();
  connection.send(requestBytes(request));
  return connection;
}

describe("DECISIONS 7: a body is at most 64 KiB", () => {
  const fits = `{"itemId":"i-fits"}${" ".repeat(65_536 - 19)}`;

  it("accepts 65536 bytes, with Content-Length or in chunks", async () => {
    expect((await test.send({ body: fits })).status).toBe(200);
    const inChunks = asChunks(fits.slice(0, 30_000), fits.slice(30_000));
    expect((await test.send({ headers: chunked, body: inChunks })).status).toBe(200);
  });

  it("rejects 65537 bytes by Content-Length, before the body arrives", async () => {
    const connection = begin({ headers: { "Content-Length": "65537" } });
    expectRpcError(await connection.answer(), "REQUEST_TOO_LARGE");
  });

  it("rejects 65537 bytes in chunks while they arrive, whatever follows", async () => {
    const connection = begin({ headers: chunked });
    connection.send(`10000\r\n${fits}\r\n1\r\nx\r\n`);
    expectRpcError(await connection.answer(), "REQUEST_TOO_LARGE");
    connection.send("0\r\n\r\n");
    expect(await connection.closed).toBe("");
  });

  it("a rejected upload of 5 MB still receives its response", async () => {
    const body = Buffer.alloc(5_000_000, "x");
    for (let round = 0; round < 5; round += 1) expectRpcError(await test.send({ body }), "REQUEST_TOO_LARGE");
    const headers = { "Connect-Protocol-Version": "2" };
    expectRpcError(await test.send({ headers, body }), "PROTOCOL_VERSION_REQUIRED");
  });

  it("a caller that sends a rejected body byte by byte and never ends its side is closed when the time is over", async () => {
    const startedAt = performance.now();
    const socket = brief.connectDeaf();
    socket.write(requestBytes({ headers: { "Content-Length": "65537" } }));
    const drip = setInterval(() => socket.write("x"), 5);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await expect.poll(() => brief.listener.connections).toBe(0);
    clearInterval(drip);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    socket.resume();
    await closed;
  });

  it("a rejected upload that never ends is closed after one response", async () => {
    const limits = { drainBytes: 1024 * 1024, drainMs: 3_600_000, writeTimeoutMs: Number.POSITIVE_INFINITY };
    const unlimited = await startStub(() => {}, { limits });
    const connection = begin({ headers: { "Content-Length": "999999999999999" } }, unlimited);
    expectRpcError(await connection.answer(), "REQUEST_TOO_LARGE");
    const pump = setInterval(() => connection.send(Buffer.alloc(300_000)), 1);
    expect(await connection.closed).toBe("");
    clearInterval(pump);
    await unlimited.close();
  });
});

describeWith(ownConnections, "DECISIONS 6: REQUEST_TIMEOUT, a client that sends too slowly", () => {
  it("half a body; the operation does not run", async () => {
    const connection = begin({ headers: { "Content-Length": "10" }, body: "{" }, impatient);
    expectRpcError(await connection.answer(), "REQUEST_TIMEOUT");
    expect(await connection.closed).toBe("");
    expect(impatient.called).toEqual([]);
  });
});

describeWith(
  ownConnections,
  "DECISIONS 6: Expect: 100-continue is granted only after the gate (RFC 9110 section 10.1.1)",
  () => {
    const expecting = { Expect: "100-continue", "Content-Length": "2" };

    it.each(["100-continue", "100-Continue"])("%s: 100, then the body, then 200", async (Expect) => {
      const connection = begin({ headers: { ...expecting, Expect } });
      expect((await connection.answer()).status).toBe(100);
      connection.send("{}");
      expect((await connection.answer()).status).toBe(200);
    });

    it.each([
      ["PROTOCOL_VERSION_REQUIRED", { "Connect-Protocol-Version": "2" }],
      ["REQUEST_TOO_LARGE", { "Content-Length": "65537" }],
      ["MALFORMED_HTTP", { Host: "[" }],
    ] as const)("is not granted to what is rejected: %s comes first", async (reason, headers) => {
      const connection = begin({ headers: { ...expecting, ...headers } }, brief);
      expectRpcError(await connection.answer(), reason);
      expect(await connection.closed).toBe("");
    });

    it("is ignored in HTTP/1.0, which has no interim responses", async () => {
      expect((await test.send({ httpVersion: "1.0", headers: expecting, body: "{}" })).status).toBe(200);
    });

    it("any other expectation is EXPECTATION_FAILED", async () => {
      expectRpcError(await test.send({ headers: { Expect: "tea" } }), "EXPECTATION_FAILED");
      expectRpcError(await test.send({ headers: { Expect: ["100-continue", "tea"] } }), "EXPECTATION_FAILED");
    });
  },
);
