import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { rejection } from "../fixtures/rejection.js";
import type { Hooks } from "../index.js";
import { createPlatformClient } from "../json/index.js";
import { createFakePlatform } from "../testing/index.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

afterEach(() => void vi.restoreAllMocks());

describe("hooks", () => {
  it("report each event in order, and no secret", async () => {
    const events: [string, unknown][] = [];
    const note =
      (name: string) =>
      (...about: unknown[]) =>
        void events.push([name, about]);
    const hooks: Hooks = {
      onStart: note("onStart"),
      onRequest: note("onRequest"),
      onResponse: note("onResponse"),
      onRetry: note("onRetry"),
      onEnd: note("onEnd"),
      onTokenRefresh: note("onTokenRefresh"),
    };
    const platform = createFakePlatform();
    platform.putItem(request);
    platform.failNext("unavailable");
    await createPlatformClient({ ...platform.options, hooks }).vault.deleteItem(request);
    expect(events.map(([name]) => name)).toEqual([
      "onStart",
      "onTokenRefresh",
      "onRequest",
      "onResponse",
      "onRetry",
      "onRequest",
      "onResponse",
      "onEnd",
    ]);
    expect(JSON.stringify(events)).not.toMatch(/fake-token|item-1|vault-1/);
    expect(events[3]).toMatchObject(["onResponse", [{}, { attempt: 1, error: { reason: "UNAVAILABLE" } }]]);
  });

  it("report the end of an attempt before the end of its call, also when the call is aborted", async () => {
    const events: string[] = [];
    const controller = new AbortController();
    const hooks: Hooks = {
      onResponse: (_, { error }) => void events.push(`onResponse ${error?.reason}`),
      onEnd: (_, { error }) => void events.push(`onEnd ${error?.reason}`),
    };
    const fetch = () => new Promise<Response>(() => controller.abort());
    const client = createPlatformClient({ ...createFakePlatform().options, fetch, hooks });
    await rejection(client.vault.deleteItem(request, { signal: controller.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(["onResponse CANCELED", "onEnd CANCELED"]);
  });

  it.each([
    {
      what: "throw",
      broken: () => {
        throw new RangeError("a bug in the hook");
      },
    },
    { what: "reject", broken: () => Promise.reject(new RangeError("a bug in the hook")) },
  ])("that $what are ignored: no call fails and no rejection is unhandled", async ({ broken }) => {
    const unhandled: unknown[] = [];
    const note = (thrown: unknown) => unhandled.push(thrown);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const platform = createFakePlatform();
    platform.putItem(request);
    const client = createPlatformClient({ ...platform.options, hooks: { onStart: broken, onEnd: broken } });
    await client.vault.deleteItem(request);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it("may be a list, and instances of a class with state", async () => {
    class Counter implements Hooks {
      calls = 0;
      onEnd(): void {
        this.calls += 1;
      }
    }
    const counters = [new Counter(), new Counter()];
    const platform = createFakePlatform();
    platform.putItem(request);
    await createPlatformClient({ ...platform.options, hooks: counters }).vault.deleteItem(request);
    expect(counters.map(({ calls }) => calls)).toEqual([1, 1]);
  });

  it("may add headers but not replace the client's", async () => {
    const platform = createFakePlatform();
    platform.putItem(request);
    const sent: Headers[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return platform.options.fetch(input, init);
    };
    const own = ["authorization", "X-Request-Id", "Content-Type", "Connect-Protocol-Version", "Connect-Timeout-Ms"];
    const hooks: Hooks = {
      onRequest: (_, { headers }) => {
        for (const name of [...own, "traceparent"]) headers.set(name, "hooked");
      },
    };
    const client = createPlatformClient({ ...platform.options, fetch, hooks });
    const { item, requestId } = await client.vault.deleteItem(request);
    expect([item.deleted, requestId]).toEqual([true, platform.calls[0]?.requestId]);
    expect([...(sent[0] ?? [])].filter(([, value]) => value === "hooked")).toEqual([["traceparent", "hooked"]]);
  });

  it("an attempt that hangs is abandoned and repeated, within the time of the call", async () => {
    const platform = createFakePlatform();
    platform.putItem(request);
    const timeouts: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      timeouts.push(new Headers(init?.headers).get("Connect-Timeout-Ms"));
      if (timeouts.length > 1) return platform.options.fetch(input, init);
      return new Promise(() => platform.clock.pass(1_000));
    };
    vi.spyOn(Math, "random").mockReturnValue(0);
    const retry = { attemptTimeoutMs: 1_000 };
    const client = createPlatformClient({ ...platform.options, fetch, retry, timeoutMs: 1_600 });
    expect((await client.vault.deleteItem(request)).item.deleted).toBe(true);
    expect(timeouts).toEqual(["1000", "600"]);
  });
});
