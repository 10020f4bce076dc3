import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { entries } from "../fixtures/entries.js";
import { rejection } from "../fixtures/rejection.js";

describe.each(entries)("$entry", ({ createPlatformClient }) => {
  const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };

  describe("options and requests that are not valid are not sent", () => {
    const unsent = () =>
      createPlatformClient({
        baseUrl: "https://api.example.com",
        token: () => expect.unreachable("a token was requested"),
        fetch: () => expect.unreachable("the call was sent"),
      });

    it("rejects headers that are not valid in HTTP, without repeating them", async () => {
      const error = await rejection(unsent().vault.deleteItem(request, { headers: { "X-Bad": "canary\u0000" } }));
      expect(error).toMatchObject({ reason: "INVALID_FIELD", code: "invalid_argument", retryable: false });
      expect(inspect(error)).not.toContain("canary");
    });

    it("rejects an Idempotency-Key that is not valid in HTTP, without repeating it", async () => {
      const call = unsent().identityGateway.exchangeMcpOauthDeviceAuthorization;
      const error = await rejection(call({ deviceCode: "pdc_1" }, { idempotencyKey: "ключ-ключ-ключ-ключ" }));
      expect(error.reason).toBe("INVALID_FIELD");
      expect(inspect(error)).not.toContain("ключ");
    });

    it("rejects a request that JSON cannot contain, without repeating it", async () => {
      const canary: object = { toJSON: () => expect.unreachable("canary") };
      const error = await rejection(
        Reflect.apply(unsent().vault.deleteItem, undefined, [{ ...request, vaultId: canary }]),
      );
      expect(error.reason).toBe("INVALID_FIELD");
      expect(inspect(error)).not.toContain("canary");
    });
  });

  it("creates an Idempotency-Key when the given one is empty", async () => {
    const keys: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      keys.push(new Headers(init?.headers).get("Idempotency-Key"));
      return new Response(null, { status: 500 });
    };
    const client = createPlatformClient({ baseUrl: "https://api.example.com", token: "token-1", fetch });
    const { exchangeMcpOauthDeviceAuthorization: exchange } = client.identityGateway;
    const { retryable } = await rejection(exchange({ deviceCode: "pdc_1" }, { idempotencyKey: "" }));
    expect([retryable, keys]).toEqual([false, [expect.stringMatching(/^[!-~]{16,128}$/)]]);
  });

  it("zero knowledge: sends only the fields of the request", async () => {
    const bodies: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const sent = new Request(input, init);
      bodies.push(await sent.json());
      return new Response(null, { status: 500 });
    };
    const client = createPlatformClient({ baseUrl: "https://api.example.com", token: "token-1", fetch, retry: false });
    const opened = { ...request, plaintext: "canary", itemKey: { bytes: "canary" } };
    await rejection(client.vault.deleteItem(opened));
    const code = { deviceCode: "pdc_1", masterKey: "canary" };
    await rejection(client.identityGateway.exchangeMcpOauthDeviceAuthorization(code));
    expect(bodies).toEqual([request, { deviceCode: "pdc_1" }]);
  });

  it("a token that arrives after the call has ended sends nothing, even if fetch ignores its signal", async () => {
    const sent: unknown[] = [];
    let give = (_: string) => {};
    const client = createPlatformClient({
      baseUrl: "https://api.example.com",
      token: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
      fetch: async (url) => {
        sent.push(url);
        return new Response();
      },
    });
    const controller = new AbortController();
    const call = rejection(client.vault.deleteItem(request, { signal: controller.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect((await call).reason).toBe("CANCELED");
    give("token-1");
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([]);
  });
});
