import { VaultService } from "@platform-rpc/types";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { jsonDocument } from "../../src/http/documents.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { anyCaller, startListener } from "./start-listener.js";
import { createLatch, startStub } from "./start-stub.js";
import { requestBytes } from "./wire-request.js";

const chunked = { "Content-Length": undefined, "Transfer-Encoding": "chunked" };
const documents = new Map([["/healthz", () => jsonDocument(200, { status: "ok" })]]);

describe("DECISIONS 7: calls in flight are limited", () => {
  it("a call over the listener's limit is UNAVAILABLE with RetryInfo immediately, and documents are still served", async () => {
    const latch = createLatch();
    const test = await startStub(({ itemId }) => (itemId === "i-runs" ? latch.opened : undefined), {
      limits: { callsInFlight: 2 },
      documents,
    });
    const running = [test.connect(), test.connect()];
    for (const connection of running) connection.send(requestBytes({ body: { itemId: "i-runs" } }));
    while (test.called.length < 2) await new Promise(setImmediate);
    expectRpcError(await test.send({ body: {} }), "UNAVAILABLE");
    expect((await test.send({ verb: "GET", target: "/healthz" })).status).toBe(200);
    latch.open();
    for (const connection of running) expect((await connection.answer()).status).toBe(200);
    expect((await test.send({ body: {} })).status).toBe(200);
    await test.close();
  });

  it.each([
    ["keeps its connection, which is not its caller's fault", {}, "keep-alive"],
    ["ends its connection if its body is too large to be read", { "Content-Length": "65537" }, "close"],
    ["ends its connection if the size of its body is unknown", chunked, "close"],
  ])("a call over the listener's limit %s", async (_, headers, connectionHeader) => {
    const latch = createLatch();
    const test = await startStub(({ itemId }) => (itemId === "i-runs" ? latch.opened : undefined), {
      limits: { callsInFlight: 1 },
    });
    const running = test.connect();
    running.send(requestBytes({ body: { itemId: "i-runs" } }));
    while (test.called.length < 1) await new Promise(setImmediate);
    const connection = test.connect();
    connection.send(requestBytes({ headers, body: {} }));
    const answer = await connection.answer();
    expectRpcError(answer, "UNAVAILABLE");
    expect(answer.header("retry-after")).toBe("1");
    expect(answer.header("connection")).toBe(connectionHeader);
    latch.open();
    expect((await running.answer()).status).toBe(200);
    if (connectionHeader === "keep-alive") {
      connection.send(requestBytes({ body: {} }));
      expect((await connection.answer()).status).toBe(200);
    }
    await test.close();
  });

  it("a call over a principal's limit is RATE_LIMITED with RetryInfo immediately, and other principals are served", async () => {
    const latch = createLatch();
    const test = await startStub(() => latch.opened, {
      limits: { callsInFlightPerPrincipal: 1 },
      admit: (authorization = "") => ({ ...anyCaller, principalId: authorization }),
    });
    const begin = (Authorization: string) => {
      const connection = test.connect();
      connection.send(requestBytes({ headers: { Authorization }, body: {} }));
      return connection;
    };
    const greedy = begin("greedy");
    while (test.called.length < 1) await new Promise(setImmediate);
    expectRpcError(await begin("greedy").answer(), "RATE_LIMITED");
    const modest = begin("modest");
    while (test.called.length < 2) await new Promise(setImmediate);
    latch.open();
    for (const connection of [greedy, modest]) expect((await connection.answer()).status).toBe(200);
    expect((await begin("greedy").answer()).status).toBe(200);
    await test.close();
  });

  it("does not mix up principals with the same id in two tenants", async () => {
    const latch = createLatch();
    const test = await startStub(() => latch.opened, {
      limits: { callsInFlightPerPrincipal: 1 },
      admit: (authorization) => ({ ...anyCaller, tenantId: authorization === "one" ? "t-1" : "t-2" }),
    });
    const connections = ["one", "other"].map((Authorization) => {
      const connection = test.connect();
      connection.send(requestBytes({ headers: { Authorization }, body: {} }));
      return connection;
    });
    while (test.called.length < 2 && !test.logText().includes("RATE_LIMITED")) await new Promise(setImmediate);
    latch.open();
    for (const connection of connections) expect((await connection.answer()).status).toBe(200);
    await test.close();
  });

  it("a call that is admitted after its deadline takes no place", async () => {
    const latch = createLatch();
    const test = await startStub(() => {}, {
      limits: { callsInFlight: 1 },
      admit: (authorization) => (authorization === "slow" ? latch.opened.then(() => anyCaller) : anyCaller),
    });
    const late = await test.send({ headers: { Authorization: "slow", "Connect-Timeout-Ms": "10" }, body: {} });
    expectRpcError(late, "DEADLINE_EXCEEDED");
    latch.open();
    expect((await test.send({ body: {} })).status).toBe(200);
    await test.close();
  });

  it("a call that runs gives its place back when its caller goes away", async () => {
    const latch = createLatch();
    const test = await startStub(({ itemId }) => (itemId === "i-runs" ? latch.opened : undefined), {
      limits: { callsInFlight: 1 },
    });
    const leaves = test.connect();
    leaves.send(requestBytes({ body: { itemId: "i-runs" } }));
    while (test.called.length < 1) await new Promise(setImmediate);
    expectRpcError(await test.send({ body: {} }), "UNAVAILABLE");
    leaves.destroy();
    await expect.poll(async () => (await test.send({ body: {} })).status).toBe(200);
    latch.open();
    await test.close();
  });

  it("a call counts until its response is read, so that unread responses are limited in number and time", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const ciphertext = "c".repeat(16 * 1024 * 1024);
    const test = await startListener({
      routes: (router) => {
        router.service(VaultService, {
          deleteItem: ({ itemId }) => ({
            item: { encryptedPayload: { ciphertext: itemId === "i-large" ? ciphertext : "" } },
          }),
        });
      },
      limits: { callsInFlight: 1, writeTimeoutMs: 200, defaultTimeoutMs: 30_000 },
    });
    const stranger = test.connectDeaf();
    stranger.write(requestBytes({ headers: { "X-Request-Id": "r-large" }, body: { itemId: "i-large" } }));
    expect(await test.lineOf("r-large")).toMatchObject({ status: 200 });
    expectRpcError(await test.send({ body: {} }), "UNAVAILABLE");
    const status = async () => {
      vi.advanceTimersByTime(200);
      return (await test.send({ body: {} })).status;
    };
    await expect.poll(status, { timeout: 15_000 }).toBe(200);
    stranger.destroy();
    await test.close();
  });
});
