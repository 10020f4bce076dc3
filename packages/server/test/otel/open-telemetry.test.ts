import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { describe, expect, it, onTestFinished } from "vitest";
import { openTelemetry } from "../../src/otel/open-telemetry.js";
import { rpcError } from "../../src/services/rpc-error.js";
import { storages } from "../../src/storage/sqlite/testing/storages.js";
import { createFixture, itemRef } from "../../src/testing/storage-suite/fixture.js";
import { startStub } from "../wire/start-stub.js";

const name = "platform.v1.VaultService/DeleteItem";
const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

/** Enables the OpenTelemetry SDK until the test ends, and returns the spans that have ended. */
function recordSpans() {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  onTestFinished(() => {
    trace.disable();
    context.disable();
    propagation.disable();
  });
  return () => exporter.getFinishedSpans();
}

async function startTraced(handle?: Parameters<typeof startStub>[0]) {
  const spans = recordSpans();
  const stub = await startStub(handle, { tracing: openTelemetry({ address: "api.example", port: 443 }) });
  onTestFinished(stub.close);
  return { spans, stub };
}

describe("the span of a call", () => {
  it("has the attributes of the semantic conventions, and the caller's span as its parent", async () => {
    const { spans, stub } = await startTraced();
    await stub.send({ body: {}, headers: { "X-Request-Id": "r-1", traceparent, tracestate: "vendor=1" } });
    const [span, ...others] = spans();
    expect(others).toEqual([]);
    expect(span).toMatchObject({ name, kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET } });
    expect(span?.attributes).toEqual({
      "rpc.system.name": "connectrpc",
      "rpc.method": name,
      "server.address": "api.example",
      "server.port": 443,
      "platform.request_id": "r-1",
    });
    expect(span?.parentSpanContext).toMatchObject(caller);
    expect(span?.spanContext().traceState?.serialize()).toBe("vendor=1");
    expect(await stub.lineOf("r-1")).toMatchObject({ traceId: caller.traceId, traceSampled: true });
  });

  it.each([
    ["ITEM_NOT_FOUND", "not_found", SpanStatusCode.UNSET],
    ["UNAVAILABLE", "unavailable", SpanStatusCode.ERROR],
  ] as const)(
    "records the reason %s, and sets its status only for errors of the server",
    async (reason, code, status) => {
      const { spans, stub } = await startTraced(() => {
        throw rpcError(reason);
      });
      await stub.send({ body: {} });
      const [span] = spans();
      expect(span?.attributes).toMatchObject({ "rpc.response.status_code": code, "platform.error.reason": reason });
      expect(span?.attributes["error.type"]).toBe(status === SpanStatusCode.ERROR ? reason : undefined);
      expect(span?.status.code).toBe(status);
    },
  );

  it("is the parent of spans that the implementation creates", async () => {
    const { spans, stub } = await startTraced(async () => {
      await Promise.resolve();
      trace.getTracer("test").startSpan("child").end();
    });
    await stub.send({ body: {} });
    const [child, call] = spans();
    expect(child?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
  });
});

describe.each(storages)("the span of a batch of SQLite $where", ({ openStorage }) => {
  it("has links to the spans of all calls of the batch", async () => {
    const spans = recordSpans();
    const tracing = openTelemetry();
    const storage = await openStorage({ path: ":memory:", tracing });
    onTestFinished(() => storage.close());
    const { createVault, put } = createFixture(storage);
    await createVault();
    const call = {
      operation: name,
      requestId: "r-1",
      startedAt: performance.now(),
      traceparent,
      tracestate: undefined,
    };
    const calls = ["a", "b"].map((item) => {
      const traced = tracing.begin(call);
      return { traced, done: traced.run(() => put(itemRef(item), item, 0)) };
    });
    const [, unlinked] = [await Promise.all(calls.map(({ done }) => done)), put(itemRef("c"), "c", 0)];
    await unlinked;
    const [batch, ...others] = spans();
    expect(others).toEqual([]);
    expect(batch).toMatchObject({ name: "BATCH", kind: SpanKind.CLIENT });
    expect(batch?.attributes).toEqual({
      "db.system.name": "sqlite",
      "db.operation.name": "BATCH",
      "db.operation.batch.size": 2,
    });
    expect(batch?.links.map((link) => link.context)).toEqual(calls.map(({ traced }) => traced.context));
  });
});
