import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { createLatch, startStub } from "./start-stub.js";
import { itWith, smallReads } from "./test-server.js";
import { requestBytes, type WireRequest } from "./wire-request.js";

const latches = new Map<string, ReturnType<typeof createLatch>>();
const signals = new Map<string, AbortSignal>();
const test = await startStub(
  async ({ itemId }, { signal }) => {
    signals.set(itemId, signal);
    await latches.get(itemId)?.opened;
  },
  { limits: { drainMs: 100 } },
);
afterAll(test.close);

const text = (itemId: string, more: WireRequest = {}) => requestBytes({ body: { itemId }, ...more }).toString("latin1");
const rejected = (itemId: string) => text(itemId, { headers: { "Connect-Protocol-Version": "2" } });
const malformed = "NONSENSE\r\n\r\n";

/** Starts a call whose operation runs until its latch is opened. */
async function run(itemId: string, more: WireRequest = {}) {
  const latch = createLatch();
  latches.set(itemId, latch);
  const connection = test.connect();
  connection.send(text(itemId, more));
  while (!test.called.includes(itemId)) await new Promise(setImmediate);
  return { connection, open: latch.open };
}

describe("a connection", () => {
  it("stays open after a success, and after an error whose request body was read", async () => {
    const connection = test.connect();
    for (const body of ["{}", "{", "{}", '{"baseVersion":"x"}', "{}"]) {
      connection.send(requestBytes({ body }));
      const answer = await connection.answer();
      expect(answer.status).toBe(body === "{}" ? 200 : 400);
      expect(answer.header("connection")).toBe("keep-alive");
      expect(answer.header("x-content-type-options")).toBe("nosniff");
    }
  });

  it("is closed if the caller asks for it, or if the body of a rejected request was not read", async () => {
    for (const bytes of [text("i-close", { headers: { Connection: "close" } }), rejected("i-unread")]) {
      const connection = test.connect();
      connection.send(bytes);
      expect((await connection.answer()).header("connection")).toBe("close");
      expect(await connection.closed).toBe("");
    }
  });
});

describe("pipelined requests (RFC 9112 section 9.3.2)", () => {
  it("get one response each, in order, also if the first takes longest", async () => {
    const { connection, open } = await run("i-slow");
    const ids = ["r-1", "r-2", "r-3"];
    connection.send(ids.map((id) => text("i-fast", { headers: { "X-Request-Id": id } })).join(""));
    open();
    expect((await connection.answer()).status).toBe(200);
    for (const id of ids) expect((await connection.answer()).header("x-request-id")).toBe(id);
  });

  it("requests after the last response of a connection are ignored (section 9.6)", async () => {
    const connection = test.connect();
    connection.send(rejected("i-first") + text("i-never"));
    expectRpcError(await connection.answer(), "PROTOCOL_VERSION_REQUIRED");
    expect(await connection.closed).toBe("");
    expect(test.called).not.toContain("i-never");
  });

  it("a queued request that is rejected does not close the connection, because its body was read", async () => {
    const { connection, open } = await run("i-before");
    connection.send(rejected("i-second") + text("i-third"));
    // The response on another connection shows that the earlier bytes have been read.
    expect((await test.send({ body: {} })).status).toBe(200);
    open();
    expect((await connection.answer()).status).toBe(200);
    expectRpcError(await connection.answer(), "PROTOCOL_VERSION_REQUIRED");
    expect((await connection.answer()).status).toBe(200);
    expect(test.called).not.toContain("i-second");
    expect(test.called).toContain("i-third");
  });

  it("DECISIONS 7: one at a time: the next begins after the previous response has been sent", async () => {
    const { connection, open } = await run("i-one");
    connection.send(text("i-two", { headers: { "X-Request-Id": "r-two", "Connect-Timeout-Ms": "1" } }));
    expect((await test.send({ body: {} })).status).toBe(200);
    expect(test.called).not.toContain("i-two");
    expect(test.logText()).not.toContain("r-two");
    open();
    expect((await connection.answer()).status).toBe(200);
    expect((await connection.answer()).header("x-request-id")).toBe("r-two");
  });

  itWith(
    smallReads,
    "nothing is read while a request is queued, so that any number of requests get their responses",
    async () => {
      const { connection, open } = await run("i-flow");
      const ids = Array.from({ length: 100 }, (_, index) => `r-flow-${index}`);
      for (const id of ids) {
        connection.send(text("i-fast", { headers: { "X-Request-Id": id } }));
        await new Promise(setImmediate);
      }
      open();
      expect((await connection.answer()).status).toBe(200);
      for (const id of ids) expect((await connection.answer()).header("x-request-id")).toBe(id);
    },
  );

  it("DECISIONS 7: the first one too many is RATE_LIMITED after the responses before it, and the connection is closed", async () => {
    const { connection, open } = await run("i-too-many");
    const ids = Array.from({ length: 18 }, (_, index) => `r-too-many-${index + 1}`);
    connection.send(ids.map((id) => text(id, { headers: { "X-Request-Id": id } })).join(""));
    // The response on another connection shows that the earlier bytes have been read.
    expect((await test.send({ body: {} })).status).toBe(200);
    open();
    expect((await connection.answer()).status).toBe(200);
    for (const id of ids.slice(0, 16)) expect((await connection.answer()).header("x-request-id")).toBe(id);
    const refused = await connection.answer();
    expectRpcError(refused, "RATE_LIMITED");
    expect(refused.header("x-request-id")).toBe("r-too-many-17");
    expect(await connection.closed).toBe("");
    for (const id of ids.slice(16)) expect(test.called).not.toContain(id);
  });

  it("a queued request that turns out malformed gets its error in its turn, and does not run", async () => {
    const latch = createLatch();
    latches.set("i-then-broken", latch);
    const chunked = { "Content-Length": undefined, "Transfer-Encoding": "chunked" };
    const broken = text("", { headers: chunked, body: "1\r\n{\r\nzz\r\n" });
    const connection = test.connect();
    // In one piece, so that the broken one is here before the first is answered.
    connection.send(text("i-then-broken") + text("i-good-2") + broken);
    while (!test.called.includes("i-then-broken")) await new Promise(setImmediate);
    latch.open();
    expect((await connection.answer()).status).toBe(200);
    expect((await connection.answer()).status).toBe(200);
    expectRpcError(await connection.answer(), "MALFORMED_HTTP");
    expect(await connection.closed).toBe("");
  });

  it("queued requests are discarded when the caller disconnects", async () => {
    const { connection, open } = await run("i-leaves");
    connection.send(text("i-left-behind"));
    await test.send({ body: {} });
    connection.destroy();
    open();
    await connection.closed;
    await test.send({ body: {} });
    expect((await test.send({ body: { itemId: "i-stays" } })).status).toBe(200);
  });
});

describe("a caller that disconnects", () => {
  it.each(["abort", "half-close"])(
    "by %s while the call runs: the log has CANCELED, and no response is sent",
    async (how) => {
      const itemId = `i-${how}`;
      const { connection, open } = await run(itemId, { headers: { "X-Request-Id": `r-${how}` } });
      if (how === "abort") connection.destroy();
      else connection.end();
      expect(await test.lineOf(`r-${how}`)).toMatchObject({ reason: "CANCELED", status: 499 });
      expect(signals.get(itemId)?.aborted).toBe(true);
      open();
      expect(await connection.closed).toBe("");
    },
  );

  it("in the middle of the body: the log has MALFORMED_HTTP (RFC 9112 section 8), and no operation runs", async () => {
    const connection = test.connect();
    const headers = { "X-Request-Id": "r-mid-body", "Content-Length": "100", Expect: "100-continue" };
    connection.send(requestBytes({ headers }));
    await connection.answer();
    connection.send('{"itemId":"i-mid-body"');
    connection.destroy();
    expect(await test.lineOf("r-mid-body")).toMatchObject({ reason: "MALFORMED_HTTP" });
    expect(test.called).not.toContain("i-mid-body");
  });

  it("by half-close after half a body gets MALFORMED_HTTP, once", async () => {
    const connection = test.connect();
    connection.send(text("i-half", { headers: { "Content-Length": "99" } }));
    connection.end();
    expectRpcError(await connection.answer(), "MALFORMED_HTTP");
    expect(await connection.closed).toBe("");
  });

  it("without having sent anything is not logged", async () => {
    const before = test.logText();
    const connection = test.connect();
    connection.end();
    expect(await connection.closed).toBe("");
    expect(test.logText()).toBe(before);
  });

  it("at any point of a request does not end the process", async () => {
    for (let round = 0; round < 50; round += 1) {
      const connection = test.connect();
      connection.send(text("i-flood").slice(0, 10 + round * 4) + (round % 2 === 0 ? malformed : ""));
      setImmediate(connection.destroy);
      await connection.closed;
    }
    expect((await test.send({ body: {} })).status).toBe(200);
  });
});
