import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { PlatformError } from "../../src/error/platform-error.js";
import { rejection } from "../../src/fixtures/rejection.js";
import type { TokenRequest } from "../../src/index.js";
import { createPlatformClient } from "../../src/json/index.js";
import { createFakePlatform } from "../../src/testing/index.js";
import { serve } from "../fixtures/http-server.js";
import { bearerOf, deletedItem, rpcError, serveStock } from "../fixtures/stock-server.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };

/** A server that accepts some tokens, and a client whose provider gives `tokens` one after the other. */
async function guarded({ accepted, tokens }: { accepted: readonly string[]; tokens: readonly string[] }) {
  const presented: (string | undefined)[] = [];
  const reasons: TokenRequest["reason"][] = [];
  const baseUrl = await serveStock({
    deleteItem: (_, context) => {
      const token = bearerOf(context);
      presented.push(token);
      if (!accepted.includes(token ?? "")) throw rpcError(Code.Unauthenticated, "UNAUTHENTICATED");
      return deletedItem;
    },
  });
  const client = createPlatformClient({
    baseUrl,
    token: ({ reason }) => tokens[reasons.push(reason) - 1] ?? expect.unreachable("called too often"),
  });
  return { client, presented, reasons };
}

describe("a token that the server rejects, before it does anything", () => {
  it("is replaced, and the call repeated", async () => {
    const { client, presented, reasons } = await guarded({ accepted: ["token-2"], tokens: ["token-1", "token-2"] });
    expect((await client.vault.deleteItem(request)).cursor.sequence).toBe(42);
    expect(presented).toEqual(["token-1", "token-2"]);
    expect(reasons).toEqual(["first", "rejected"]);
  });

  it("is replaced only once in a call", async () => {
    const { client, presented } = await guarded({ accepted: [], tokens: ["token-1", "token-2"] });
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({
      reason: "UNAUTHENTICATED",
      code: "unauthenticated",
      retryable: false,
    });
    expect(presented).toEqual(["token-1", "token-2"]);
  });

  it("is not sent again when the provider returns the same one", async () => {
    const { client, presented } = await guarded({ accepted: [], tokens: ["token-1", "token-1"] });
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("UNAUTHENTICATED");
    expect(presented).toEqual(["token-1"]);
  });
});

it("is replaced also when a gateway rejects it, with another body", async () => {
  const presented: (string | undefined)[] = [];
  const baseUrl = await serve((request, response) => {
    presented.push(request.headers.authorization);
    response.writeHead(401, { "WWW-Authenticate": 'Bearer error="invalid_token"' }).end();
  });
  let providerCalls = 0;
  const client = createPlatformClient({ baseUrl, token: () => `token-${++providerCalls}` });
  const error = await rejection(client.vault.deleteItem(request));
  expect(error).toMatchObject({ reason: "MALFORMED_RESPONSE", code: "unauthenticated" });
  expect(presented).toEqual(["Bearer token-1", "Bearer token-2"]);
});

describe("TOKEN_UNAVAILABLE", () => {
  it("is not retryable when the provider throws, and does not repeat its message", async () => {
    const token = () => Promise.reject(new RangeError("canary"));
    const client = createPlatformClient({ baseUrl: "https://api.example.com", token });
    const error = await rejection(client.vault.deleteItem(request));
    expect(error).toMatchObject({ reason: "TOKEN_UNAVAILABLE", code: "unauthenticated", retryable: false });
    expect(error.message).not.toContain("canary");
  });

  it.each([
    { what: "had a network error", thrown: new TypeError("fetch failed"), cause: { name: "TypeError" } },
    {
      what: "called another platform, which did not answer",
      thrown: new PlatformError({
        reason: "NETWORK_ERROR",
        code: "unavailable",
        message: "No.",
        requestId: "another",
        retryable: true,
        detail: undefined,
      }),
      cause: { name: "PlatformError", reason: "NETWORK_ERROR" },
    },
  ])("is retryable when the provider $what", async ({ thrown, cause }) => {
    const token = () => Promise.reject(thrown);
    const client = createPlatformClient({ baseUrl: "https://api.example.com", token, retry: false });
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({
      reason: "TOKEN_UNAVAILABLE",
      code: "unavailable",
      retryable: true,
      cause,
    });
  });

  it("calls a provider that failed again after the back-off, within the time of the call", async () => {
    const platform = createFakePlatform();
    const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };
    platform.putItem(item);
    let providerCalls = 0;
    const token = () => {
      providerCalls += 1;
      if (providerCalls === 1) throw new TypeError("fetch failed");
      return platform.options.token();
    };
    const client = createPlatformClient({ ...platform.options, token });
    expect((await client.vault.deleteItem(item)).item.deleted).toBe(true);
    expect([providerCalls, platform.calls.length]).toEqual([2, 1]);
  });

  it("calls a provider again that threw an error which cannot be printed", async () => {
    const strange = Object.assign(new RangeError("no"), { reason: Object.create(null), code: Symbol("no") });
    let providerCalls = 0;
    const token = () => {
      providerCalls += 1;
      throw strange;
    };
    const platform = createFakePlatform();
    const client = createPlatformClient({ ...platform.options, token });
    for (let call = 1; call <= 3; call += 1) {
      expect((await rejection(client.vault.deleteItem(request))).reason).toBe("TOKEN_UNAVAILABLE");
      platform.clock.pass(60_000);
    }
    expect(providerCalls).toBe(3);
  });
});
