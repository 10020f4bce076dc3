import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  metrics,
  propagation,
  type Span,
  type SpanOptions,
  trace,
} from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";
import { createFakePlatform } from "../fake-platform/index.js";
import { entries } from "../testing/entries.js";
import { rejection } from "../testing/rejection.js";
import { openTelemetry } from "./open-telemetry.js";

interface Recorded {
  readonly name: string;
  readonly kind: number | undefined;
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  readonly events: string[];
  ended: boolean;
}

/** Providers that keep what they are given. */
function record() {
  const spans: Recorded[] = [];
  const durations: { value: number; attributes: Attributes }[] = [];
  const ids = new WeakMap<Span, string>();
  const noop = trace.wrapSpanContext({ traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 });
  const startSpan = (name: string, options: SpanOptions = {}, parent: Context = context.active()): Span => {
    const above = trace.getSpan(parent);
    const span: Recorded = {
      ...{ name, kind: options.kind, attributes: { ...options.attributes }, events: [], ended: false },
      parent: above && ids.get(above),
    };
    const id = `span-${spans.push(span)}`;
    const made: Span = Object.assign(Object.create(noop), {
      setAttributes: (more: Attributes) => Object.assign(span.attributes, more),
      addEvent: (event: string) => span.events.push(event),
      setStatus: () => made,
      end: () => {
        span.ended = true;
      },
    });
    ids.set(made, id);
    return made;
  };
  const tracer = { startSpan, startActiveSpan: () => expect.unreachable("not used") };
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  const histogram: Histogram = { record: (value, attributes = {}) => durations.push({ value, attributes }) };
  const meter = metrics.getMeter("none");
  metrics.setGlobalMeterProvider({
    getMeter: () => Object.assign(Object.create(meter), { createHistogram: () => histogram }),
  });
  propagation.setGlobalPropagator({
    inject: (within, carrier, setter) => {
      const span = trace.getSpan(within);
      setter.set(carrier, "traceparent", (span && ids.get(span)) ?? "none");
    },
    extract: (within) => within,
    fields: () => ["traceparent"],
  });
  return { spans, durations };
}

afterEach(() => {
  trace.disable();
  metrics.disable();
  propagation.disable();
});

describe.each(entries)("OpenTelemetry with $entry", ({ createPlatformClient }) => {
  const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };
  const rpc = {
    "rpc.system.name": "connectrpc",
    "rpc.method": "platform.v1.VaultService/DeleteItem",
    "server.address": "platform.test",
    "server.port": 443,
  };

  function traced() {
    const kept = record();
    const platform = createFakePlatform();
    platform.putItem(request);
    const sent: (string | null)[] = [];
    const client = createPlatformClient({
      ...platform.options,
      fetch: (input, init) => {
        sent.push(new Headers(init?.headers).get("traceparent"));
        return platform.options.fetch(input, init);
      },
      hooks: openTelemetry(platform.options),
    });
    return { ...kept, platform, client, sent };
  }

  it("a span for the call, one within it for each attempt, and the duration", async () => {
    const { spans, durations, platform, client, sent } = traced();
    platform.failNext("unavailable", { retryAfter: 2 });
    const { requestId } = await client.vault.deleteItem(request);
    const failure = { "rpc.response.status_code": "unavailable", "error.type": "UNAVAILABLE" };
    const id = { "platform.request_id": requestId };
    expect(spans).toMatchObject([
      { name: rpc["rpc.method"], parent: undefined, attributes: { ...rpc, ...id }, events: ["retry"], ended: true },
      { name: rpc["rpc.method"], parent: "span-1", attributes: { ...rpc, ...failure, ...id }, ended: true },
      { name: rpc["rpc.method"], parent: "span-1", attributes: { ...rpc, ...id }, ended: true },
    ]);
    expect(spans[2]?.attributes).not.toHaveProperty(["error.type"]);
    expect(sent).toEqual(["span-2", "span-3"]);
    expect(durations).toEqual([{ value: expect.closeTo(2, 0), attributes: rpc }]);
  });

  it("holds no secret", async () => {
    const { spans, durations, client } = traced();
    const exchange = client.identityGateway.exchangeMcpOauthDeviceAuthorization;
    await rejection(exchange({ deviceCode: "pdc_canary" }, { idempotencyKey: "canary-canary-canary" }));
    expect(JSON.stringify([spans, durations])).not.toMatch(/canary|fake-token/);
    expect(durations[0]?.attributes).toMatchObject({ "error.type": "DEVICE_CODE_INVALID" });
  });
});

describe("without an SDK", () => {
  it("costs nothing and breaks nothing", async () => {
    const platform = createFakePlatform();
    platform.putItem({ vaultId: "vault-1", itemId: "item-1" });
    for (const { createPlatformClient } of entries) {
      const client = createPlatformClient({ ...platform.options, hooks: openTelemetry() });
      await client.vault.deleteItem({ vaultId: "vault-1", itemId: "item-1", baseVersion: 1 });
    }
    expect(platform.calls).toHaveLength(2);
  });
});
