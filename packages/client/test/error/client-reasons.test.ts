import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { inspect } from "node:util";
import { create, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { DeleteItemResponseSchema } from "@platform-rpc/types";
import { describe, expect, it, vi } from "vitest";
import { entries } from "../../src/fixtures/entries.js";
import { rejection } from "../../src/fixtures/rejection.js";
import { createPlatformClient } from "../../src/index.js";
import { createFakeClock } from "../../src/testing/fake-clock.js";
import { serve } from "../fixtures/http-server.js";
import { deletedItem, serveStock } from "../fixtures/stock-server.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };
const base = { baseUrl: "https://api.example.com", token: "token-1" };

const platformInfo = { type: "google.rpc.ErrorInfo", debug: { reason: "ITEM_NOT_FOUND", domain: "platform.v1" } };

const whole = JSON.parse(toJsonString(DeleteItemResponseSchema, create(DeleteItemResponseSchema, deletedItem)));

const page =
  (status: number): RequestListener =>
  (_, response) =>
    response.writeHead(status, { "Content-Type": "text/html" }).end("<html>Bad gateway</html>");

/** The URL of a port on which nothing listens. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

describe.each(entries)("$entry", ({ createPlatformClient }) => {
  const json =
    (body: string, status = 200): RequestListener =>
    (_, response) =>
      response
        .writeHead(status, { "Content-Type": "application/json", "X-Request-Id": "request-of-the-server" })
        .end(body);

  async function answer(listener: RequestListener) {
    const client = createPlatformClient({ baseUrl: await serve(listener), token: "token-1", retry: false });
    return await rejection(client.vault.deleteItem(request));
  }

  describe("MALFORMED_RESPONSE: the response does not follow the contract", () => {
    const wrongCursor = { ...whole, cursor: { vaultId: "vault-1", sequence: "many" } };
    const errorBody = { code: "not_found", message: "No.", details: [platformInfo] };
    it.each<[name: string, listener: RequestListener, code: string]>([
      ["a page with status 200", page(200), "unknown"],
      ["a proxy's 502 page", page(502), "unavailable"],
      ["a CDN's 522 page", page(522), "unavailable"],
      ["a code that the protocol does not have", json('{"code":"overloaded","message":"No."}', 503), "unavailable"],
      ["JSON that is cut off", json('{"item":{"itemId":"i'), "unknown"],
      ["a field of another type", json(JSON.stringify(wrongCursor)), "unknown"],
      ["a success that contains an error", json(JSON.stringify(errorBody)), "unknown"],
      ["a gateway's own JSON error", json('{"message":"down","details":"connection refused"}', 503), "unavailable"],
      ["an object without its fields", json("{}"), "unknown"],
    ])("%s", async (_, listener, code) => {
      const retryable = code === "unavailable";
      expect(await answer(listener)).toMatchObject({ reason: "MALFORMED_RESPONSE", code, retryable });
    });

    it.each([
      [408, "deadline_exceeded", "The request took too long to arrive."],
      [421, "unavailable", "The request reached a server of another host."],
      [425, "unavailable", "The request came too early in the connection."],
      [429, "unavailable", "Too many requests were sent."],
      [502, "unavailable", "A proxy got no valid response from the server."],
      [503, "unavailable", "The server or a proxy is overloaded or down."],
      [504, "unavailable", "A proxy got no response from the server in time."],
      [520, "unavailable", "A CDN cannot reach the server."],
    ])("a proxy's status %d is said in words, and the call is repeated if that is safe", async (status, code, says) => {
      const fetch = vi.fn(async () => new Response("", { status }));
      const options = { ...base, clock: createFakeClock(), fetch };
      const error = await rejection(createPlatformClient(options).vault.deleteItem(request));
      expect(error).toMatchObject({ reason: "MALFORMED_RESPONSE", code, retryable: true });
      expect(error.message).toContain(says);
      expect(fetch).toHaveBeenCalledTimes(4);
    });

    it.each([
      ["https://ada:secret@new.example/v2?canary#canary", 308, "https://new.example/v2"],
      ["//new.example/v2", 301, "https://new.example/v2"],
      ["/login?canary", 302, "https://api.example.com/login"],
      ["https://new.example/the-token-of-this-call", 307, "[redacted]"],
      // A browser answers so to a redirect.
      ["javascript:canary", 0, "an address that the browser hides"],
    ])("a redirect to %s (status %d) is not followed, and names %s", async (location, status, target) => {
      // Servers repeat the target in the body, which a browser hides, too.
      const text = async () => (status === 0 ? "" : `<a href="${location}">Found</a>.`);
      const answered = { headers: new Headers({ location }), body: null, text };
      const fetch = async () => ({ ...answered, status });
      const options = { ...base, token: "the-token-of-this-call", fetch };
      const error = await rejection(createPlatformClient(options).vault.deleteItem(request));
      expect(error.message).toContain(`It redirects to ${target}. The client sends no token there.`);
      expect(inspect(error)).not.toMatch(/canary|secret|the-token/);
    });

    it("keeps the request id of the response", async () => {
      expect((await answer(json("{}"))).requestId).toBe("request-of-the-server");
      expect((await answer(json("no JSON"))).requestId).toBe("request-of-the-server");
    });
  });

  it.each([
    { what: "an exchange that is approved without a broker token", body: { status: "approved", accessToken: "a" } },
    { what: "an exchange without a status", body: { intervalSeconds: 5 } },
  ])("MALFORMED_RESPONSE: $what", async ({ body }) => {
    const baseUrl = await serve(json(JSON.stringify(body)));
    const client = createPlatformClient({ baseUrl, token: "token-1", retry: false });
    const call = client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" });
    expect((await rejection(call)).reason).toBe("MALFORMED_RESPONSE");
  });

  describe("NETWORK_ERROR: no response arrived, or only a part of one", () => {
    it("when nothing listens on the port", async () => {
      const client = createPlatformClient({ baseUrl: await closedPort(), token: "token-1", retry: false });
      expect(await rejection(client.vault.deleteItem(request))).toMatchObject({
        reason: "NETWORK_ERROR",
        code: "unavailable",
        retryable: true,
        cause: { name: "TypeError", code: "ECONNREFUSED" },
      });
    });

    it("when fetch blocks the port, which is named and not retried", async () => {
      const client = createPlatformClient({ baseUrl: "http://127.0.0.1:9", token: "token-1" });
      const error = await rejection(client.vault.deleteItem(request));
      expect(error).toMatchObject({ reason: "NETWORK_ERROR", code: "unknown", cause: { code: "BAD_PORT" } });
      expect(error.message).toContain("No response from 127.0.0.1:9 (BAD_PORT). Check baseUrl");
    });

    it("when the connection ends during the response", async () => {
      const error = await answer((_, response) => {
        response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 100 });
        response.write('{"item":', () => response.destroy());
      });
      expect(error.reason).toBe("NETWORK_ERROR");
    });

    it("when the caller's fetch rejects, without the message of its error", async () => {
      const fetch = () => Promise.reject(Object.assign(new Error("canary"), { code: "ECONNRESET" }));
      const client = createPlatformClient({ ...base, fetch, retry: false });
      const error = await rejection(client.vault.deleteItem(request));
      expect(error).toMatchObject({ reason: "NETWORK_ERROR", cause: { name: "Error", code: "ECONNRESET" } });
      expect(inspect(error)).not.toContain("canary");
    });
  });
});

describe("a transport of Node", () => {
  it("reports NETWORK_ERROR when nothing listens on the port", async () => {
    const transport = createConnectTransport({ baseUrl: await closedPort(), httpVersion: "1.1" });
    const client = createPlatformClient({ transport, token: "token-1", retry: false });
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("NETWORK_ERROR");
  });
});

describe("a transport of Connect", () => {
  it("reads the value of a detail without debug", async () => {
    const value = Buffer.from("\n\x0eITEM_NOT_FOUND\x12\x0bplatform.v1").toString("base64");
    const body = { code: "not_found", message: "No.", details: [{ type: "google.rpc.ErrorInfo", value }] };
    const baseUrl = await serve((_, response) =>
      response.writeHead(404, { "Content-Type": "application/json" }).end(JSON.stringify(body)),
    );
    const transport = createConnectTransport({ baseUrl, httpVersion: "1.1" });
    const client = createPlatformClient({ transport, token: "token-1", retry: false });
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("ITEM_NOT_FOUND");
  });
});

describe("INTERCEPTOR_FAILED", () => {
  const throwing: Interceptor = () => () => Promise.reject(new RangeError("canary"));
  const passing: Interceptor = (next) => (call) => next(call);

  it("when an interceptor throws", async () => {
    const interceptors = [passing, throwing, passing];
    const client = createPlatformClient({ ...base, interceptors, retry: false });
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({
      reason: "INTERCEPTOR_FAILED",
      cause: { name: "RangeError" },
      retryable: false,
    });
  });

  it("when an interceptor does not return the response; the call is not repeated", async () => {
    const calls: unknown[] = [];
    const forgetting: Interceptor = (next) => async (call) => {
      await next(call);
      return Reflect.get({}, "nothing");
    };
    const baseUrl = await serveStock({ deleteItem: () => (calls.push(deletedItem) > 0 ? deletedItem : {}) });
    const client = createPlatformClient({ baseUrl, token: "token-1", interceptors: [forgetting] });
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("INTERCEPTOR_FAILED");
    expect(calls).toHaveLength(1);
  });

  it("when an interceptor throws when it is set up", async () => {
    const interceptor: Interceptor = () => expect.unreachable("set up");
    const baseUrl = await serveStock({ deleteItem: () => deletedItem });
    const client = createPlatformClient({ baseUrl, token: "token-1", interceptors: [passing, interceptor] });
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("INTERCEPTOR_FAILED");
  });

  it("an error that an interceptor passes on as a ConnectError keeps its reason and code", async () => {
    const codes: Code[] = [];
    const logging: Interceptor = (next) => (call) =>
      next(call).catch((thrown: unknown) => {
        const error = ConnectError.from(thrown);
        codes.push(error.code);
        throw error;
      });
    const client = createPlatformClient({
      ...base,
      fetch: () => Promise.reject(new TypeError("no")),
      interceptors: [logging],
      retry: { maxAttempts: 2 },
    });
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("NETWORK_ERROR");
    expect(codes).toEqual([Code.Unavailable, Code.Unavailable]);
  });
});
