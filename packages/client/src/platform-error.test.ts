import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
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

  it.each([undefined, null, "PlatformError", new Error("no"), { name: "PlatformError", reason: "INTERNAL" }])(
    "%s is none",
    (value) => {
      expect(isPlatformError(value)).toBe(false);
      expect(value instanceof PlatformError).toBe(false);
    },
  );
});
