import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { contractErrorReasons } from "./contract.js";
import type { ClientErrorReason } from "./error-reason.js";
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
  it("is an Error whose text begins with its name", () => {
    const error = new PlatformError(init);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe("PlatformError: There is no such item in this vault.");
    expect(inspect(error)).toMatch(/^PlatformError: There is no such item in this vault\.\n/);
  });

  it("has JSON that loggers can print", () => {
    const error = new PlatformError({ ...init, retryAfterMs: 5 });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "PlatformError",
      message: "There is no such item in this vault.",
      reason: "ITEM_NOT_FOUND",
      code: "not_found",
      requestId: "request-1",
      retryable: false,
      retryAfterMs: 5,
      violations: [],
    });
  });

  it("is known to other copies of the package", async () => {
    vi.resetModules();
    const copy = await import("./platform-error.js");
    expect(copy.PlatformError).not.toBe(PlatformError);
    const error = new copy.PlatformError(init);
    expect(isPlatformError(error)).toBe(true);
    expect(isPlatformError(error, "ITEM_NOT_FOUND")).toBe(true);
    expect(error).toBeInstanceOf(PlatformError);
  });

  it("a class made from it tells its own", () => {
    class OwnError extends PlatformError {}
    expect(new PlatformError(init)).not.toBeInstanceOf(OwnError);
    expect(new OwnError(init)).toBeInstanceOf(OwnError);
    expect(new OwnError(init)).toBeInstanceOf(PlatformError);
  });

  it.each([undefined, null, "PlatformError", new Error("no"), { name: "PlatformError", reason: "INTERNAL" }])(
    "%s is none",
    (value) => {
      expect(isPlatformError(value)).toBe(false);
      expect(value instanceof PlatformError).toBe(false);
    },
  );
});

describe("docsUrl names a page that is there", () => {
  const docs = new URL("../../../docs/", import.meta.url);
  const own: Readonly<Record<ClientErrorReason, true>> = {
    NETWORK_ERROR: true,
    MALFORMED_RESPONSE: true,
    TOKEN_UNAVAILABLE: true,
    INTERCEPTOR_FAILED: true,
    ACCESS_DENIED: true,
    EXPIRED_TOKEN: true,
    UNKNOWN: true,
  };

  it.each(contractErrorReasons.filter((reason) => reason !== "VERSION_CONFLICT"))("%s: a page of its own", (reason) => {
    const { docsUrl } = new PlatformError({ ...init, reason });
    expect(docsUrl).toBe(`https://platform.example/docs/errors/${reason}`);
    expect(readFileSync(new URL(`errors/${reason}.md`, docs), "utf8")).toContain(`# ${reason}`);
  });

  const page = readFileSync(new URL("client-errors.md", docs), "utf8");
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);

  it("the client's own reasons share one, in whose sections each is explained", () => {
    expect(headings).toEqual(Object.keys(own));
    const { docsUrl } = new PlatformError({ ...init, reason: "NETWORK_ERROR" });
    expect(docsUrl).toBe("https://platform.example/docs/client-errors#network_error");
  });
});
