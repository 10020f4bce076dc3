import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import { rejection } from "../fixtures/rejection.js";
import { recordTelemetry } from "../fixtures/telemetry.js";
import { createPlatformClient } from "../json/index.js";
import { createFakePlatform } from "../testing/index.js";
import { openTelemetry } from "./index.js";

describe("OpenTelemetry", () => {
  const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };
  const name = "platform.v1.VaultService/DeleteItem";
  const rpc = {
    "rpc.system.name": "connectrpc",
    "rpc.method": name,
    "server.address": "platform.test",
    "server.port": 443,
  };

  function traced() {
    const telemetry = recordTelemetry();
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
    return { ...telemetry, platform, client, sent };
  }

  it("creates a span for the call and a child span for each attempt, and sends the attempt's trace context", async () => {
    const { spans, platform, client, sent } = traced();
    platform.failNext("unavailable", { retryAfter: 2 });
    const { requestId } = await client.vault.deleteItem(request);
    const [first, second, call, ...more] = spans();
    const id = { "platform.request_id": requestId };
    const failure = { "rpc.response.status_code": "unavailable", "error.type": "UNAVAILABLE" };
    expect(more).toEqual([]);
    expect(call).toMatchObject({ name, kind: SpanKind.INTERNAL, parent: undefined, events: [{ name: "retry" }] });
    expect(call?.attributes).toEqual({ ...rpc, ...id });
    expect(first).toMatchObject({ name, kind: SpanKind.CLIENT, parent: call?.spanId });
    expect(first?.attributes).toEqual({ ...rpc, ...id, ...failure });
    expect(first?.status).toEqual({ code: SpanStatusCode.ERROR, message: "UNAVAILABLE" });
    expect(second).toMatchObject({ name, kind: SpanKind.CLIENT, parent: call?.spanId });
    expect(second?.attributes).toEqual({ ...rpc, ...id, "platform.rpc.attempt": 2 });
    expect(sent).toEqual([first, second].map((span) => `00-${span?.traceId}-${span?.spanId}-01`));
  });

  it("records the duration of calls in seconds, by result", async () => {
    const { metrics, platform, client } = traced();
    platform.failNext("unavailable", { retryAfter: 2 });
    await client.vault.deleteItem(request);
    await rejection(client.vault.deleteItem({ ...request, itemId: "another" }));
    const [duration, ...others] = await metrics();
    expect(others).toEqual([]);
    expect(duration?.descriptor).toMatchObject({ name: "rpc.client.call.duration", unit: "s" });
    const failure = { "rpc.response.status_code": "not_found", "error.type": "ITEM_NOT_FOUND" };
    expect(duration?.dataPoints).toMatchObject([
      { attributes: rpc, value: { count: 1, sum: expect.closeTo(2, 0) } },
      { attributes: { ...rpc, ...failure }, value: { count: 1 } },
    ]);
  });
});

describe("without an SDK", () => {
  it("calls succeed", async () => {
    const platform = createFakePlatform();
    platform.putItem({ vaultId: "vault-1", itemId: "item-1" });
    const client = createPlatformClient({ ...platform.options, hooks: openTelemetry() });
    await client.vault.deleteItem({ vaultId: "vault-1", itemId: "item-1", baseVersion: 1 });
    expect(platform.calls).toHaveLength(1);
  });
});
