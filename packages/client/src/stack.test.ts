import { describe, expect, it } from "vitest";
import * as connect from "../dist/index.js";
import * as json from "../dist/json/index.js";
import { rejection } from "./fixtures/rejection.js";

/** The package, as built or as its source maps show it. */
const ofPackage = /packages\/client\/(dist|src\/(?!stack\.test))/;
const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };
const options = { baseUrl: "https://api.example.com", token: "token-1", retry: false } as const;

describe.each([
  { entry: "dist/index.js", createPlatformClient: connect.createPlatformClient, PlatformError: connect.PlatformError },
  { entry: "dist/json/index.js", createPlatformClient: json.createPlatformClient, PlatformError: json.PlatformError },
])("$entry", ({ createPlatformClient, PlatformError }) => {
  const failing = [
    { what: "a network error", more: { fetch: () => Promise.reject(new TypeError("fetch failed")) } },
    { what: "a deadline", more: { fetch: () => new Promise<never>(() => undefined), timeoutMs: 10 } },
    { what: "a token provider", more: { token: () => Promise.reject(new RangeError("no")) } },
  ];

  it.each(failing)("the first stack frame outside the package is the caller's line: $what", async ({ more }) => {
    const client = createPlatformClient({ ...options, ...more });
    async function callerOfThePackage() {
      return await client.vault.deleteItem(item);
    }
    const { stack = "", message } = await rejection(callerOfThePackage());
    const [header, ...frames] = stack.split("\n");
    expect(header).toBe(`PlatformError: ${message}`);
    expect(frames.find((frame) => !ofPackage.test(frame))).toContain("callerOfThePackage");
  });

  it("the error class is called PlatformError", () => {
    expect(PlatformError.name).toBe("PlatformError");
  });
});
