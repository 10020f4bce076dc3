import { create, isMessage, toJson } from "@bufbuild/protobuf";
import { createRouterTransport, type HandlerContext } from "@connectrpc/connect";
import {
  DeleteItemResponseSchema,
  ExchangeMcpOauthDeviceAuthorizationResponseSchema,
  VaultService,
} from "@platform-rpc/types";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type ConnectHttpOptions, createPlatformClient, type PlatformClientOptions } from "../../src/index.js";
import { serve } from "../fixtures/http-server.js";
import { deletedItem, serveStock } from "../fixtures/stock-server.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };

/** A client of a stock server that answers both operations, and what the last call brought to it. */
async function connected(options: ConnectHttpOptions & { timeoutMs?: number } = {}, prefix = "") {
  const seen: { context?: HandlerContext; request?: unknown } = {};
  const baseUrl = await serveStock(
    {
      deleteItem: (request, context) => {
        Object.assign(seen, { request, context });
        context.responseHeader.set("X-Request-Id", "request-of-the-server");
        return deletedItem;
      },
      exchange: (request, context) => {
        Object.assign(seen, { request, context });
        return { status: "authorization_pending", expiresInSeconds: 600, intervalSeconds: 5 };
      },
    },
    prefix,
  );
  const client = createPlatformClient({ token: "token-1", baseUrl: baseUrl + prefix, ...options });
  const header = (name: string) => seen.context?.requestHeader.get(name);
  return { client, seen, header };
}

describe("a call (SPEC section 1: HTTP POST, JSON; section 4: headers)", () => {
  it("sends what the contract requires of every call", async () => {
    const { client, header, seen } = await connected();
    await client.vault.deleteItem(request);
    expect(seen.request).toMatchObject(request);
    expect(seen.context?.requestMethod).toBe("POST");
    expect(header("Content-Type")).toBe("application/json");
    expect(header("Authorization")).toBe("Bearer token-1");
    expect(header("Connect-Protocol-Version")).toBe("1");
    expect(Number(header("Connect-Timeout-Ms"))).toBeGreaterThan(14_000);
    expect(Number(header("Connect-Timeout-Ms"))).toBeLessThanOrEqual(15_000);
  });

  it("resolves with the message and the request id", async () => {
    const { client } = await connected();
    const result = await client.vault.deleteItem(request);
    expect(result.requestId).toBe("request-of-the-server");
    expect(isMessage(result, DeleteItemResponseSchema)).toBe(true);
    expect(toJson(DeleteItemResponseSchema, result)).toEqual(
      toJson(DeleteItemResponseSchema, create(DeleteItemResponseSchema, deletedItem)),
    );
  });

  it("keeps its own request id when the response has none", async () => {
    const { client, header } = await connected();
    const result = await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" });
    expect(result.requestId).toMatch(/^[!-~]{16,128}$/);
    expect(header("X-Request-Id")).toBe(result.requestId);
  });

  it("sends the caller's headers, but its own take precedence", async () => {
    const { client, header } = await connected();
    await client.vault.deleteItem(request, {
      headers: {
        "X-Request-Id": "mine",
        "X-Other": "kept",
        "connect-protocol-version": "2",
        "content-type": "text/plain",
      },
    });
    expect(header("X-Request-Id")).toBe("mine");
    expect(header("X-Other")).toBe("kept");
    expect(header("Authorization")).toBe("Bearer token-1");
    expect(header("Connect-Protocol-Version")).toBe("1");
    expect(header("Content-Type")).toBe("application/json");
    const other = client.vault.deleteItem(request, { headers: { authorization: "Bearer other" } });
    await expect(other).rejects.toThrow("headers must not contain Authorization: pass the token as the option token");
  });
});

describe("Idempotency-Key (DECISIONS section 4), for the operations whose retry safety is WITH_KEY", () => {
  it("is the caller's when given", async () => {
    const { client, header } = await connected();
    const options = { idempotencyKey: "key-of-the-caller" };
    await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" }, options);
    expect(header("Idempotency-Key")).toBe("key-of-the-caller");
  });

  it("is not sent when the operation is idempotent", async () => {
    const { client, header } = await connected();
    await client.vault.deleteItem(request);
    expect(header("Idempotency-Key")).toBeNull();
  });
});

describe("baseUrl", () => {
  it.each(["", "/", "//"])("may end with %j", async (end) => {
    const baseUrl = await serveStock({ deleteItem: () => deletedItem });
    const client = createPlatformClient({ baseUrl: baseUrl + end, token: "token-1" });
    expect((await client.vault.deleteItem(request)).item.version).toBe(4);
  });

  it("keeps its path prefix", async () => {
    const { client } = await connected({}, "/api/platform");
    expect((await client.vault.deleteItem(request)).item.version).toBe(4);
  });

  it.each([
    "",
    "/api",
    "ftp://api.example.com",
    "https://user:canary@api.example.com",
    "https://api.example.com?canary=1",
    "https://api.example.com/#canary",
  ])("rejects %j without repeating it", (baseUrl) => {
    const make = () => createPlatformClient({ baseUrl, token: "token-1" });
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(/canary/);
  });
});

describe("other options", () => {
  it.each([1_000.5, 2 ** 31, Number.POSITIVE_INFINITY])(
    "timeoutMs %d is sent in whole milliseconds, 30 s at most",
    async (timeoutMs) => {
      const { client, header } = await connected({ timeoutMs });
      await client.vault.deleteItem(request);
      expect(header("Connect-Timeout-Ms")).toMatch(/^[1-9]\d{0,9}$/);
      expect(Number(header("Connect-Timeout-Ms"))).toBeLessThanOrEqual(30_000);
    },
  );

  it.each([
    { token: "", problem: "must be a string of printable ASCII without spaces" },
    { token: "tökén", problem: "must be a string of printable ASCII without spaces" },
    { token: "token\n", problem: "contains a line break: trim it" },
    { token: "bearer x\n", problem: 'starts with "Bearer ": pass only what follows' },
  ])("rejects the token $token without repeating it, and says what is wrong with it", ({ token, problem }) => {
    const make = () => createPlatformClient({ baseUrl: "https://api.example.com", token });
    expect(make).toThrow(new TypeError(`createPlatformClient: token ${problem}.`));
  });

  it.each([
    ["3", "must be of type number, not string"],
    [Number.NaN, "must be of type number, not NaN"],
    [1.5, "is out of range"],
  ])(
    "rejects the baseVersion %j before the call is sent, and says what is wrong with it",
    async (value, description) => {
      const { client } = await connected();
      const call: Promise<unknown> = Reflect.apply(client.vault.deleteItem, undefined, [
        { ...request, baseVersion: value },
      ]);
      await expect(call).rejects.toMatchObject({ violations: [{ field: "baseVersion", description }] });
    },
  );

  it("runs the caller's interceptors, the first outermost", async () => {
    const order: string[] = [];
    const { client } = await connected({
      interceptors: ["outer", "inner"].map((name) => (next) => async (call) => {
        order.push(name);
        return await next(call);
      }),
    });
    await client.vault.deleteItem(request);
    expect(order).toEqual(["outer", "inner"]);
  });

  it("calls over the caller's transport instead of HTTP", async () => {
    const transport = createRouterTransport(({ rpc }) => rpc(VaultService.method.deleteItem, () => deletedItem));
    const client = createPlatformClient({ transport, token: "token-1" });
    expect((await client.vault.deleteItem(request)).cursor.sequence).toBe(42);
  });

  it("a transport and a baseUrl exclude each other", () => {
    const transport = createRouterTransport(() => undefined);
    expectTypeOf({ transport, token: "t" }).toExtend<PlatformClientOptions>();
    expectTypeOf({ baseUrl: "https://a.example", token: "t" }).toExtend<PlatformClientOptions>();
    expectTypeOf({ transport, baseUrl: "https://a.example", token: "t" }).not.toExtend<PlatformClientOptions>();
  });
});

describe("responses of a newer server", () => {
  const answer = (body: unknown) =>
    serve((_, response) => response.setHeader("Content-Type", "application/json").end(JSON.stringify(body)));

  it("may contain fields and values that this version does not know (DECISIONS sections 2 and 8)", async () => {
    const baseUrl = await answer({ status: "something_new", intervalSeconds: 0, addedLater: { a: 1 } });
    const client = createPlatformClient({ baseUrl, token: "token-1" });
    const result = await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" });
    expect(isMessage(result, ExchangeMcpOauthDeviceAuthorizationResponseSchema)).toBe(true);
    expect(result.status).toBe("something_new");
  });
});
