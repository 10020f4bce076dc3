import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { inspect } from "node:util";
import { create, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { DeleteItemResponseSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { entries } from "../fixtures/entries.js";
import { serve } from "../fixtures/http-server.js";
import { rejection } from "../fixtures/rejection.js";
import { deletedItem, serveStock } from "../fixtures/stock-server.js";
import { createPlatformClient } from "../index.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };

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
    it.each([
      { name: "a page with status 200", listener: page(200), code: "unknown", retryable: false },
      { name: "a proxy's 502 page", listener: page(502), code: "unavailable", retryable: true },
      { name: "a gateway's 429 page", listener: page(429), code: "unavailable", retryable: true },
      { name: "a proxy's 404 page", listener: page(404), code: "unimplemented", retryable: false },
      { name: "a CDN's 522 page", listener: page(522), code: "unavailable", retryable: true },
      { name: "no body", listener: json(""), code: "unknown", retryable: false },
      { name: "JSON that is cut off", listener: json('{"item":{"itemId":"i'), code: "unknown", retryable: false },
      { name: "JSON that is not an object", listener: json("[]"), code: "unknown", retryable: false },
      { name: "null", listener: json("null"), code: "unknown", retryable: false },
      {
        name: "a field of another type",
        listener: json(JSON.stringify({ ...whole, cursor: { vaultId: "vault-1", sequence: "many" } })),
        code: "unknown",
        retryable: false,
      },
      {
        name: "a success that contains an error",
        listener: json(JSON.stringify({ code: "not_found", message: "No.", details: [platformInfo] })),
        code: "unknown",
        retryable: false,
      },
      {
        name: "a gateway's own JSON error",
        listener: json('{"message":"down","details":"connection refused"}', 503),
        code: "unavailable",
        retryable: true,
      },
      {
        name: "a detail that is null",
        listener: json('{"details":[null]}', 503),
        code: "unavailable",
        retryable: true,
      },
      { name: "an object without its fields", listener: json("{}"), code: "unknown", retryable: false },
      { name: "an error without a body", listener: json("", 500), code: "unknown", retryable: false },
      {
        name: "an error body without code and details",
        listener: json('{"error":"no"}', 503),
        code: "unavailable",
        retryable: true,
      },
    ])("$name", async ({ listener, code, retryable }) => {
      expect(await answer(listener)).toMatchObject({ reason: "MALFORMED_RESPONSE", code, retryable });
    });

    it("keeps the request id of the response", async () => {
      expect((await answer(json("{}"))).requestId).toBe("request-of-the-server");
      expect((await answer(json('{"cursor":7}'))).requestId).toBe("request-of-the-server");
      expect((await answer(json("no JSON"))).requestId).toBe("request-of-the-server");
      expect((await answer(json("{}", 500))).requestId).toBe("request-of-the-server");
    });

    it.each([
      { name: "without tokens", body: { status: "approved" } },
      {
        name: "without a broker token",
        body: { status: "approved", tokenType: "Bearer", accessToken: "a", expiresInSeconds: 900 },
      },
      {
        name: "with an empty broker token",
        body: { status: "approved", tokenType: "Bearer", accessToken: "a", expiresInSeconds: 900, brokerToken: {} },
      },
      { name: "without a status", body: { intervalSeconds: 5 } },
    ])("an approved exchange $name", async ({ body }) => {
      const client = createPlatformClient({
        baseUrl: await serve(json(JSON.stringify(body))),
        token: "token-1",
        retry: false,
      });
      const error = await rejection(
        client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" }),
      );
      expect(error.reason).toBe("MALFORMED_RESPONSE");
    });
  });

  describe("an error of the Connect protocol without a reason of the platform keeps its code, message and status", () => {
    const foreign = { reason: "ITEM_NOT_FOUND", domain: "elsewhere" };
    it.each([
      { name: "without details", body: { code: "not_found", message: "No route." }, status: 404, retryable: false },
      { name: "that can be retried", body: { code: "unavailable", message: "Down." }, status: 503, retryable: true },
      {
        name: "with another code than its status has",
        body: { code: "aborted", message: "No." },
        status: 503,
        retryable: false,
      },
      {
        name: "with a detail that is not an object",
        body: { code: "aborted", message: "No.", details: [7] },
        status: 409,
        retryable: false,
      },
      {
        name: "with the ErrorInfo of another domain",
        body: { code: "not_found", message: "No.", details: [{ type: "google.rpc.ErrorInfo", debug: foreign }] },
        status: 404,
        retryable: false,
      },
      {
        name: "with details of another type",
        body: { code: "internal", message: "No.", details: [{ type: "google.rpc.DebugInfo", debug: {} }] },
        status: 500,
        retryable: false,
      },
    ])("$name", async ({ body, status, retryable }) => {
      const error = await answer(json(JSON.stringify(body), status));
      expect(error).toMatchObject({ reason: undefined, code: body.code, status, retryable, detail: undefined });
      expect(error.message).toBe(
        `${body.code}: ${body.message} Check baseUrl and proxies. Request request-of-the-server. ${error.docsUrl}`,
      );
      expect(error.docsUrl).toMatch(/^http:\/\/[^/]+\/docs\/errors\/$/);
    });

    it("but not if the protocol has no such code", async () => {
      const error = await answer(json('{"code":"overloaded","message":"No."}', 503));
      expect(error).toMatchObject({ reason: "MALFORMED_RESPONSE", code: "unavailable" });
    });
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

    it("when the connection ends before the response", async () => {
      expect((await answer((incoming) => incoming.socket.destroy())).reason).toBe("NETWORK_ERROR");
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
      const client = createPlatformClient({
        baseUrl: "https://api.example.com",
        token: "token-1",
        fetch,
        retry: false,
      });
      const error = await rejection(client.vault.deleteItem(request));
      expect(error).toMatchObject({ reason: "NETWORK_ERROR", cause: { name: "Error", code: "ECONNRESET" } });
      expect(inspect(error)).not.toContain("canary");
    });

    it.each([new Error("no"), "no", undefined])("when the caller's fetch rejects with %o", async (thrown) => {
      const fetch = () => Promise.reject(thrown);
      const client = createPlatformClient({ baseUrl: "https://api.example.com", token: "t", fetch, retry: false });
      expect((await rejection(client.vault.deleteItem(request))).reason).toBe("NETWORK_ERROR");
    });

    it("when a browser rejects with a plain TypeError", async () => {
      const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
      const client = createPlatformClient({
        baseUrl: "https://api.example.com",
        token: "token-1",
        fetch,
        retry: false,
      });
      expect((await rejection(client.vault.deleteItem(request))).reason).toBe("NETWORK_ERROR");
    });

    it.each([
      { options: { idempotencyKey: "key-of-the-caller" }, retryable: true },
      { options: {}, retryable: false },
    ])("an exchange with $options is retryable: $retryable", async ({ options, retryable }) => {
      const client = createPlatformClient({ baseUrl: await closedPort(), token: "token-1", retry: false });
      const call = client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" }, options);
      expect(await rejection(call)).toMatchObject({ reason: "NETWORK_ERROR", retryable });
    });

    it("has the request id that was sent", async () => {
      const ids: unknown[] = [];
      const baseUrl = await serve((incoming) => {
        ids.push(incoming.headers["x-request-id"]);
        incoming.socket.destroy();
      });
      const client = createPlatformClient({ baseUrl, token: "token-1", retry: false });
      const error = await rejection(client.vault.deleteItem(request));
      expect(ids).toContain(error.requestId);
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

describe("INTERCEPTOR_FAILED", () => {
  const throwing: Interceptor = () => () => Promise.reject(new RangeError("canary"));
  const passing: Interceptor = (next) => (call) => next(call);

  it("when an interceptor throws", async () => {
    const interceptors = [passing, throwing, passing];
    const client = createPlatformClient({
      baseUrl: "https://api.example.com",
      token: "token-1",
      interceptors,
      retry: false,
    });
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

  it.each([
    {
      what: "throws when it is set up",
      interceptor: Object({ wrong: () => expect.unreachable("used") }).wrong,
    },
    {
      what: "returns an object that is not a response",
      interceptor: Object({ wrong: () => async () => ({}) }).wrong,
    },
  ])("when an interceptor $what", async ({ interceptor }) => {
    const baseUrl = await serveStock({ deleteItem: () => deletedItem });
    const client = createPlatformClient({ baseUrl, token: "token-1", interceptors: [passing, interceptor] });
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("INTERCEPTOR_FAILED");
  });

  it.each([
    { what: "no answer arrives", fetch: () => Promise.reject(new TypeError("no")), code: Code.Unavailable },
    { what: "the time is up", fetch: () => new Promise<Response>(() => {}), code: Code.DeadlineExceeded },
  ])(
    "an error that an interceptor passes on as a ConnectError keeps its reason and code: $what",
    async ({ fetch, code }) => {
      const codes: Code[] = [];
      const logging: Interceptor = (next) => (call) =>
        next(call).catch((thrown: unknown) => {
          const error = ConnectError.from(thrown);
          codes.push(error.code);
          throw error;
        });
      const obedient: typeof globalThis.fetch = (_, init) =>
        Promise.race([fetch(), new Promise<Response>((_, reject) => init?.signal?.addEventListener("abort", reject))]);
      const client = createPlatformClient({
        baseUrl: "https://api.example.com",
        token: "token-1",
        fetch: obedient,
        interceptors: [logging],
        timeoutMs: 60_000,
        retry: { maxAttempts: 2, attemptTimeoutMs: 50 },
      });
      const { reason } = await rejection(client.vault.deleteItem(request));
      expect(reason).toBe(code === Code.Unavailable ? "NETWORK_ERROR" : "DEADLINE_EXCEEDED");
      expect(codes).toEqual([code, code]);
    },
  );

  it("an error that interceptors pass on keeps its reason", async () => {
    const interceptors = [passing, passing];
    const client = createPlatformClient({
      baseUrl: await serve(page(502)),
      token: "token-1",
      interceptors,
      retry: false,
    });
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("MALFORMED_RESPONSE");
  });
});
