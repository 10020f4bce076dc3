import { describe, expect, it } from "vitest";
import { createPlatformClient, waitForDeviceAuthorization } from "../dist/json/index.js";
import { rejection } from "./fixtures/rejection.js";

/** The package, as built or as its source maps show it. */
const ofPackage = /packages\/client\/(dist|src\/(?!stack\.test))/;
const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };
const options = { baseUrl: "https://api.example.com", token: "token-1", retry: false } as const;

describe("dist/json/index.js", () => {
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
    expect(frames.find((frame) => !ofPackage.test(frame) && !frame.includes("node:internal"))).toContain(
      "callerOfThePackage",
    );
  });

  it.each([
    { how: "returns the promise", run: async (call: () => Promise<unknown>) => call() },
    { how: "calls twice at a time", run: async (call: () => Promise<unknown>) => await Promise.all([call(), call()]) },
  ])("the stack contains an async caller that $how", async ({ run }) => {
    const client = createPlatformClient({ ...options, fetch: () => Promise.reject(new TypeError("fetch failed")) });
    async function callerOfTheCaller() {
      return await run(() => client.vault.deleteItem(item));
    }
    expect((await rejection(callerOfTheCaller())).stack).toContain("callerOfTheCaller");
  });

  it("the stack of a failed login contains the caller of waitForDeviceAuthorization", async () => {
    async function callerOfThePackage() {
      const signal = AbortSignal.abort();
      return await waitForDeviceAuthorization(createPlatformClient(options), "code", { signal });
    }
    expect((await rejection(callerOfThePackage())).stack).toContain("callerOfThePackage");
  });

  it("the stack of an attempt's error, as hooks see it, contains the caller's line", async () => {
    const stacks: (string | undefined)[] = [];
    const hooks = {
      onResponse: (_: unknown, { error }: { error?: Error | undefined }) => void stacks.push(error?.stack),
    };
    const client = createPlatformClient({
      ...options,
      timeoutMs: 10,
      fetch: () => new Promise<never>(() => undefined),
      hooks,
    });
    async function callerOfThePackage() {
      return await client.vault.deleteItem(item);
    }
    await rejection(callerOfThePackage());
    expect(stacks).toEqual([expect.stringContaining("callerOfThePackage")]);
  });
});
