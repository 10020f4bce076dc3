import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { ConnectionExchange } from "./connection.js";
import { createConnections } from "./connections.js";
import { defaultConnectionLimits } from "./handler-listener.js";

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
