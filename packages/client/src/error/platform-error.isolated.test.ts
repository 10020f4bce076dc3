import { readdirSync } from "node:fs";
import { inspect } from "node:util";
import { createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it, vi } from "vitest";
import { rejection } from "../fixtures/rejection.js";
import { createPlatformClient } from "../index.js";
import type { ClientErrorReason } from "./code-and-reason.js";
import { isPlatformError, PlatformError } from "./platform-error.js";

const init = {
  reason: "ITEM_NOT_FOUND",
  code: "not_found",
  message: "There is no such item in this vault.",
  requestId: "request-1",
  retryable: false,
  detail: undefined,
} as const;

describe("PlatformError", () => {
  it("is an Error whose string begins with its name", () => {
    const error = new PlatformError(init);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe("PlatformError: There is no such item in this vault.");
    expect(inspect(error)).toMatch(/^PlatformError: There is no such item in this vault\.\n/);
  });

  it("its JSON contains everything but the message", () => {
    const error = new PlatformError({ ...init, retryAfterMs: 5 });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      reason: "ITEM_NOT_FOUND",
      code: "not_found",
      requestId: "request-1",
      retryable: false,
      retryAfterMs: 5,
      violations: [],
    });
  });

  it("is recognized by other copies of the package", async () => {
    vi.resetModules();
    const copy = await import("./platform-error.js");
    expect(copy.PlatformError).not.toBe(PlatformError);
    const error = new copy.PlatformError(init);
    expect(isPlatformError(error)).toBe(true);
    expect(isPlatformError(error, "ITEM_NOT_FOUND")).toBe(true);
  });

  it.each([undefined, null, "PlatformError", new Error("no"), { name: "PlatformError", reason: "INTERNAL" }])(
    "%s is not a PlatformError",
    (value) => {
      expect(isPlatformError(value)).toBe(false);
    },
  );
});

describe("docsUrl", () => {
  const docs = new URL("../../../../docs/", import.meta.url);
  const own: Readonly<Record<ClientErrorReason, true>> = {
    NETWORK_ERROR: true,
    MALFORMED_RESPONSE: true,
    TOKEN_UNAVAILABLE: true,
    INTERCEPTOR_FAILED: true,
    ACCESS_DENIED: true,
    EXPIRED_TOKEN: true,
  };

  it("leads to a page for each reason of the client, and no page is left over", () => {
    const pages = readdirSync(new URL("client-errors/", docs)).filter((page) => page !== "README.md");
    expect(pages.sort()).toEqual(
      Object.keys(own)
        .map((reason) => `${reason}.md`)
        .sort(),
    );
  });

  it("is at the server that was called, with its base path, and absent for a transport or without a platform there", async () => {
    const fetch = async () => Promise.reject(new TypeError("fetch failed"));
    const request = { vaultId: "v-1", itemId: "i-1", baseVersion: 1 };
    const called = createPlatformClient({ baseUrl: "https://api.example.com/base/", token: "t", retry: false, fetch });
    expect(await rejection(called.vault.deleteItem(request, { timeoutMs: JSON.parse('"5s"') }))).toMatchObject({
      docsUrl: "https://api.example.com/base/docs/errors/INVALID_FIELD",
    });
    const lost = await rejection(called.vault.deleteItem(request));
    expect([lost.reason, lost.docsUrl]).toEqual(["NETWORK_ERROR", undefined]);
    const transport = createRouterTransport(() => undefined);
    const { docsUrl, message } = await rejection(
      createPlatformClient({ transport, token: "t", retry: false }).vault.deleteItem(request),
    );
    expect(docsUrl).toBeUndefined();
    expect(message).not.toContain("/docs/");
  });
});
