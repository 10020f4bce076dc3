import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { ConnectionExchange } from "./connection.js";
import { createConnections } from "./connections.js";
import { defaultConnectionLimits } from "./handler-listener.js";
import { turnTime } from "./turn-time.js";

describe("a connection whose response has been sent", () => {
  it.each([
    ["retains no request, with its headers and token", true, false],
    ["retains an incomplete request, because a later parse error belongs to it", false, true],
  ])("%s", (_, complete, retained) => {
    const request = new IncomingMessage(new Socket());
    request.complete = complete;
    const connections = createConnections(defaultConnectionLimits);
    const connection = connections.addExternal(request, new ServerResponse(request));
    const exchange: ConnectionExchange = {
      request,
      startedAt: 0,
      settled: true,
      reject() {},
      gone() {},
      stalledSince: () => false,
    };
    connections.receive(connection, request);
    connections.take(connection, exchange);
    connections.release(connection, exchange);
    expect(connection.exchange).toBeUndefined();
    expect(connection.latest === request).toBe(retained);
    connections.closeAll();
  });
});

describe("connections that send requests without end, while this process delays them,", () => {
  it.each([
    [1, 64],
    [8, 8],
    [64, 2],
  ])("if %d of 64 are open, have at most %d waiting each", async (count, most) => {
    const limits = { ...defaultConnectionLimits, connections: 64, pipelinedRequests: 2 };
    const connections = createConnections(limits);
    const all = Array.from({ length: count }, () => {
      const request = new IncomingMessage(new Socket());
      return connections.addExternal(request, new ServerResponse(request));
    });
    let now = performance.now();
    // Every look at the clock finds the time of the turn over, after the first one.
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    turnTime.createQueue().run(() => {});
    const waiting = all.map((connection) => {
      let taken = 0;
      while (taken < 1000 && connections.takeTurn(connection, () => {})) taken += 1;
      return taken;
    });
    clock.mockRestore();
    expect(waiting).toEqual(all.map(() => most));
    connections.closeAll();
    await setImmediate();
  });
});
