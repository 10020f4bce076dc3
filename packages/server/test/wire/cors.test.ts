import { afterAll, describe, expect, it } from "vitest";
import { isOrigin } from "../../src/http/cors.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { startPlatform } from "./start-platform.js";
import { deleteItemPath } from "./wire-request.js";

const origin = "https://app.example";
const test = await startPlatform({ corsOrigins: [origin] });
const closed = await startPlatform();
afterAll(async () => {
  await Promise.all([test.close(), closed.close()]);
});

const preflight = (Origin: string, target = deleteItemPath, listener = test) =>
  listener.send({
    verb: "OPTIONS",
    target,
    headers: { Origin, "Access-Control-Request-Method": "POST", "Content-Length": undefined },
  });

describe("the CORS protocol (Fetch Standard)", () => {
  it("grants a preflight from an allowed origin, without credentials", async () => {
    const answer = await preflight(origin);
    expect(answer.status).toBe(204);
    expect(answer.header("access-control-allow-origin")).toBe(origin);
    expect(answer.header("access-control-allow-methods")).toBe("POST");
    const allowed = answer.header("access-control-allow-headers")?.toLowerCase().split(", ");
    for (const name of [
      "authorization",
      "content-type",
      "connect-protocol-version",
      "connect-timeout-ms",
      "idempotency-key",
      "x-request-id",
      "x-platform-client",
      "traceparent",
      "tracestate",
    ]) {
      expect(allowed).toContain(name);
    }
    expect(answer.header("access-control-allow-credentials")).toBeUndefined();
    expect(answer.header("vary")).toBe("Origin");
  });

  it.each(["https://app.example.evil", "http://app.example", "https://app.example:8443", "null", "*"])(
    "rejects a preflight from %s",
    async (other) => {
      const answer = await preflight(other);
      expectRpcError(answer, "METHOD_NOT_ALLOWED");
      expect(answer.header("access-control-allow-origin")).toBeUndefined();
      expect(answer.header("vary")).toBe("Origin");
    },
  );

  it("rejects a preflight for an unknown operation, and every preflight if no origin is allowed", async () => {
    expectRpcError(await preflight(origin, "/unknown"), "OPERATION_UNKNOWN");
    const answer = await preflight(origin, deleteItemPath, closed);
    expectRpcError(answer, "METHOD_NOT_ALLOWED");
    expect(answer.header("vary")).toBeUndefined();
  });

  it("lets the allowed origin read responses and errors, with the exposed headers", async () => {
    const itemId = await test.putItem("i-cors");
    for (const baseVersion of [1, 0]) {
      const answer = await test.deleteItem(
        { vaultId: "v-1", itemId, baseVersion },
        {},
        { headers: { Origin: origin } },
      );
      expect(answer.status).toBe(baseVersion === 1 ? 200 : 400);
      expect(answer.header("access-control-allow-origin")).toBe(origin);
      expect(answer.header("access-control-expose-headers")).toContain("X-Request-Id");
    }
  });
});

describe("corsOrigins must be written as browsers send them", () => {
  it.each(["*", "http://localhost:3000/", "https://APP.example.com", "app.example.com"])("rejects %s", (origin) => {
    expect(isOrigin(origin)).toBe(false);
  });

  it.each(["https://app.example.com", "http://[::1]:8080", "capacitor://localhost"])("accepts %s", (origin) => {
    expect(isOrigin(origin)).toBe(true);
  });
});
