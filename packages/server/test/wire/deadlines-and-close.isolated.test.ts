import type { HandlerContext } from "@connectrpc/connect";
import type { DeleteItemRequest } from "@platform-rpc/types";
import { afterAll, describe, expect, it } from "vitest";
import { callOf } from "../../src/services/call.js";
import { rpcError } from "../../src/services/rpc-error.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { createLatch, startStub } from "./start-stub.js";
import { describeWith, itWith, ownConnections } from "./test-server.js";
import { requestBytes } from "./wire-request.js";

const contexts = new Map<string, HandlerContext>();
const latch = createLatch();
const handle = (request: DeleteItemRequest, context: HandlerContext) => {
  contexts.set(request.itemId, context);
  if (request.itemId.startsWith("i-quick")) return;
  if (request.itemId.startsWith("i-blocks")) {
    // Like a commit on a slow disk: no timer fires meanwhile.
    const until = performance.now() + 100;
    while (performance.now() < until);
    if (request.itemId === "i-blocks-and-fails") throw rpcError("ITEM_NOT_FOUND");
    return;
  }
  if (request.itemId === "i-watches") {
    const { signal } = context;
    return new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  }
  return latch.opened;
};
const test = await startStub(handle, { limits: { defaultTimeoutMs: 40, longestTimeoutMs: 60 } });
afterAll(async () => {
  latch.open();
  await test.close();
});
const call = (itemId: string, timeout?: string) =>
  test.send({ body: { itemId }, headers: { "Connect-Timeout-Ms": timeout } });

describe("DECISIONS 7: the deadline", () => {
  it.each([
    ["i-ignores", "10"],
    ["i-default", undefined],
    ["i-clamped", "9999999999"],
  ])("%s with Connect-Timeout-Ms %s: one DEADLINE_EXCEEDED, and the connection stays open", async (itemId, timeout) => {
    const connection = test.connect();
    connection.send(requestBytes({ body: { itemId }, headers: { "Connect-Timeout-Ms": timeout } }));
    expectRpcError(await connection.answer(), "DEADLINE_EXCEEDED");
    // This call has no deadline that a slow machine could miss.
    connection.send(requestBytes({ target: "/nowhere" }));
    expectRpcError(await connection.answer(), "OPERATION_UNKNOWN");
  });

  it("is visible to the handler: timeoutMs returns the time left, and `wanted` becomes false", async () => {
    // On a slow machine the deadline can pass before the handler is called.
    while (!contexts.has("i-late")) await call("i-late", "10");
    const context = contexts.get("i-late");
    expect(context?.timeoutMs()).toBe(0);
    expect(context && callOf(context).wanted()).toBe(false);
    // A signal that the handler first accesses now is already aborted.
    expect(context?.signal.aborted).toBe(true);
  });

  it.each(["i-blocks", "i-blocks-and-fails"])(
    "%s: a handler that blocks the event loop beyond its deadline gets DEADLINE_EXCEEDED, never a late 200 or 404",
    async (itemId) => {
      // On a slow machine the deadline can pass before the handler is called.
      while (!test.called.includes(itemId)) expectRpcError(await call(itemId, "50"), "DEADLINE_EXCEEDED");
    },
  );

  it("counts from the arrival of the request: a body that arrives too late is not decoded", async () => {
    const connection = test.connect();
    connection.send(requestBytes({ headers: { "Content-Length": "20", "Connect-Timeout-Ms": "10" } }));
    expectRpcError(await connection.answer(), "DEADLINE_EXCEEDED");
    connection.send('{"itemId":"i-late-1"');
    expect(await connection.closed).toBe("");
    expect(test.called).not.toContain("i-late-1");
  });
});

describe("DECISIONS 7: all limits can be switched off", () => {
  const off = Number.POSITIVE_INFINITY;

  it("without timeouts and limits of headers and backlog, a call is answered", async () => {
    const limits = { defaultTimeoutMs: off, longestTimeoutMs: off, headerBytes: off, backlog: off };
    const stub = await startStub(() => new Promise((resolve) => setTimeout(resolve, 20)), { limits });
    expect((await stub.send({ body: {} })).status).toBe(200);
    await stub.close();
  });

  it("a stop without a time limit waits for running calls", async () => {
    const gate = createLatch();
    const stub = await startStub(() => gate.opened);
    const running = stub.connect();
    running.send(requestBytes({ body: {} }));
    while (stub.called.length === 0) await new Promise(setImmediate);
    let closed = false;
    const close = stub.listener.close(off).then(() => {
      closed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(closed).toBe(false);
    gate.open();
    expect((await running.answer()).status).toBe(200);
    await close;
  });
});

describe("DECISIONS 7: graceful stop", () => {
  itWith(ownConnections, "after leave(), calls are served, and each response closes its connection", async () => {
    const stub = await startStub();
    const connection = stub.connect();
    connection.send(requestBytes({ body: { itemId: "i-1" } }));
    expect((await connection.answer()).header("connection")).toBe("keep-alive");
    expect(stub.listener).toMatchObject({ connections: 1, callsInFlight: 0 });
    stub.listener.leave();
    connection.send(requestBytes({ body: { itemId: "i-2" } }));
    const answer = await connection.answer();
    expect({ status: answer.status, connection: answer.header("connection") }).toEqual({
      status: 200,
      connection: "close",
    });
    expect(await connection.closed).toBe("");
    expect((await stub.send({ body: { itemId: "i-3" } })).status).toBe(200);
    expect(stub.listener.draining).toBe(false);
    await stub.close();
  });

  itWith(ownConnections, "running calls finish, new ones are UNAVAILABLE, then the port is closed", async () => {
    const gate = createLatch();
    const stub = await startStub(() => gate.opened);
    const running = stub.connect();
    const waiting = stub.connect();
    running.send(requestBytes({ body: { itemId: "i-running" } }));
    while (stub.called.length === 0) await new Promise(setImmediate);
    expect(stub.listener.draining).toBe(false);
    const closed = stub.listener.close();
    expect(stub.listener.draining).toBe(true);
    waiting.send(requestBytes({ body: {} }));
    const rejected = await waiting.answer();
    expectRpcError(rejected, "UNAVAILABLE");
    expect(rejected.header("connection")).toBe("close");
    gate.open();
    const answer = await running.answer();
    expect({ status: answer.status, connection: answer.header("connection") }).toEqual({
      status: 200,
      connection: "close",
    });
    await closed;
    const late = stub.connect();
    await expect(late.answer()).rejects.toThrow("ended before a complete response");
    expect(stub.called).toEqual(["i-running"]);
  });

  itWith(ownConnections, "a queued pipelined call is UNAVAILABLE, before its connection is closed", async () => {
    const gate = createLatch();
    const stub = await startStub(() => gate.opened);
    const connection = stub.connect();
    const both = ["i-1", "i-2"].map((itemId) => requestBytes({ body: { itemId } }));
    connection.send(Buffer.concat(both));
    while (stub.called.length === 0) await new Promise(setImmediate);
    const closed = stub.listener.close();
    gate.open();
    const first = await connection.answer();
    expect({ status: first.status, connection: first.header("connection") }).toEqual({
      status: 200,
      connection: "keep-alive",
    });
    const second = await connection.answer();
    expectRpcError(second, "UNAVAILABLE");
    expect(second.header("connection")).toBe("close");
    expect(await connection.closed).toBe("");
    await closed;
    expect(stub.called).toEqual(["i-1"]);
  });

  describeWith(ownConnections, "connections without a call", () => {
    // The timeouts are longer than the test may take, so that any delay of the stop fails it.
    it.each([
      ["nothing", ""],
      ["half the headers", "POST / HTTP/1.1\r\nHost: x\r\n"],
    ])("a connection on which %s has arrived does not delay the stop", async (_, bytes) => {
      const stub = await startStub(() => {}, { limits: { receiveTimeoutMs: 3_600_000 } });
      const connection = stub.connect();
      connection.send(bytes);
      // The response on another connection shows that the first was accepted and read.
      await stub.send({ body: {} });
      await stub.listener.close(3_600_000);
      expect(await connection.closed).toBe("");
    });
  });

  it("a call whose body has not arrived completely is UNAVAILABLE immediately", async () => {
    const limits = { receiveTimeoutMs: 3_600_000, drainMs: 3_600_000, writeTimeoutMs: Number.POSITIVE_INFINITY };
    const stub = await startStub(() => {}, { limits });
    const connection = stub.connect();
    connection.send(requestBytes({ headers: { "Content-Length": "9", Expect: "100-continue" } }));
    await connection.answer();
    connection.send('{"i');
    const closed = stub.listener.close(3_600_000);
    expectRpcError(await connection.answer(), "UNAVAILABLE");
    expect(await connection.closed).toBe("");
    await closed;
    expect(stub.called).toEqual([]);
  });

  it("waits no longer than graceMs, and a second close has no effect", async () => {
    const gate = createLatch();
    const stub = await startStub(() => gate.opened, { limits: { drainMs: 20 } });
    const running = stub.connect();
    running.send(requestBytes({ body: {} }));
    while (stub.called.length === 0) await new Promise(setImmediate);
    await Promise.all([stub.listener.close(10), stub.listener.close(10_000)]);
    await expect(running.answer()).rejects.toThrow("ended before a complete response");
    gate.open();
  });
});
