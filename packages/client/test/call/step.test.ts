import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PlatformError } from "../../src/error/platform-error.js";
import { rejection } from "../../src/fixtures/rejection.js";
import { createPlatformClient } from "../../src/json/index.js";
import { type Clock, systemClock } from "../../src/options/clock.js";
import { createFakePlatform } from "../../src/testing/index.js";
import { serve } from "../fixtures/http-server.js";

const anotherError = new PlatformError({
  reason: "UNAUTHENTICATED",
  code: "unauthenticated",
  message: "No.",
  requestId: "another",
  retryable: false,
  detail: undefined,
});

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };

describe("DEADLINE_EXCEEDED and CANCELED", () => {
  const silent = () => serve(() => undefined);

  it("rejects when the time of the call runs out", async () => {
    const client = createPlatformClient({ baseUrl: await silent(), token: "token-1", timeoutMs: 30 });
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({
      reason: "DEADLINE_EXCEEDED",
      code: "deadline_exceeded",
      retryable: true,
    });
  });

  it("rejects when the time runs out while the token provider runs, and aborts the provider's signal", async () => {
    const signals: AbortSignal[] = [];
    const token = ({ signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<string>(() => undefined);
    };
    const client = createPlatformClient({ baseUrl: await silent(), token, timeoutMs: 30 });
    const { reason, message } = await rejection(client.vault.deleteItem(request));
    expect(reason).toBe("DEADLINE_EXCEEDED");
    expect(message).toContain("Not sent.");
    expect(message).not.toContain("may have taken effect");
    await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true]), { timeout: 60_000 });
  });

  it("says that the call may have taken effect when only a later attempt waits for its token", async () => {
    const { clock, options } = createFakePlatform();
    let calls = 0;
    const token = () => (++calls === 1 ? "token-1" : new Promise<string>(() => clock.pass(60_000)));
    const fetch = async () => new Response(null, { status: 401 });
    const client = createPlatformClient({ ...options, token, fetch });
    expect((await rejection(client.vault.deleteItem(request))).message).toContain("The call may have taken effect.");
  });

  it("rejects when the caller aborts a running call", async () => {
    const controller = new AbortController();
    const baseUrl = await serve(() => controller.abort());
    const client = createPlatformClient({ baseUrl, token: "token-1" });
    const call = client.vault.deleteItem(request, { signal: controller.signal });
    expect(await rejection(call)).toMatchObject({ reason: "CANCELED", code: "canceled", retryable: false });
  });

  it("rejects without calling the token provider or fetch when the signal is aborted already", async () => {
    const requests: string[] = [];
    const client = createPlatformClient({
      baseUrl: "https://api.example.com",
      token: () => {
        requests.push("token");
        return "token-1";
      },
      fetch: () => {
        requests.push("fetch");
        return Promise.reject(new TypeError("unreachable"));
      },
    });
    const call = client.vault.deleteItem(request, { signal: AbortSignal.abort(new Error("canary")) });
    const error = await rejection(call);
    expect(error.reason).toBe("CANCELED");
    expect(error.cause).toEqual(new Error("canary"));
    expect(error.message).toContain("The signal was aborted. Not sent.");
    expect(error.message).not.toContain("canary");
    expect(requests).toEqual([]);
  });

  it.each([
    { what: "an error that another call rejected with", reason: anotherError },
    { what: "a string", reason: "the time is up" },
    { what: "nothing", reason: undefined },
  ])("rejects with CANCELED when the caller aborts with $what, and keeps the cached token", async ({ reason }) => {
    const controller = new AbortController();
    const baseUrl = await serve(() => controller.abort(reason));
    const requests: string[] = [];
    const client = createPlatformClient({ baseUrl, token: (request) => `token-${requests.push(request.reason)}` });
    const error = await rejection(client.vault.deleteItem(request, { signal: controller.signal }));
    expect(error.reason).toBe("CANCELED");
    expect(error.requestId).not.toBe("another");
    expect((await rejection(client.vault.deleteItem(request, { signal: controller.signal }))).reason).toBe("CANCELED");
    expect(requests).toEqual(["first"]);
  });

  it("rejects when the caller aborts while the call waits to be repeated", async () => {
    const platform = createFakePlatform({ autoAdvance: false });
    platform.failNext("unavailable");
    const controller = new AbortController();
    const hooks = { onRetry: () => void setTimeout(() => controller.abort()) };
    const client = createPlatformClient({ ...platform.options, hooks });
    const error = await rejection(client.vault.deleteItem(request, { signal: controller.signal }));
    expect([error.reason, platform.calls.length]).toEqual(["CANCELED", 1]);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it.each([
    { what: "a timer that fires a millisecond early", timeoutMs: 30, after: 29 },
    { what: "no time", timeoutMs: 0, after: 0 },
    { what: "NaN", timeoutMs: Number.NaN, after: 0 },
  ])("does not repeat a call whose time has run out: $what", async ({ timeoutMs, after }) => {
    let now = 0;
    const clock: Clock = {
      ...systemClock,
      now: () => now,
      after: (_, run) =>
        systemClock.after(1, () => {
          now = after;
          run();
        }),
    };
    let sent = 0;
    const fetch = () => {
      sent += 1;
      return new Promise<never>(() => undefined);
    };
    const client = createPlatformClient({ baseUrl: "https://api.example.com", token: "t", fetch, clock });
    const error = await rejection(client.vault.deleteItem(request, { timeoutMs }));
    expect([error.reason, sent]).toEqual(["DEADLINE_EXCEEDED", 1]);
    expect(error.message).toContain(`within timeoutMs (${timeoutMs} ms)`);
  });

  it("removes its listener from the caller's signal when the call ends", async () => {
    const { signal } = new AbortController();
    const baseUrl = await serve((_, response) => response.end());
    const client = createPlatformClient({ baseUrl, token: "token-1" });
    await rejection(client.vault.deleteItem(request, { signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("drops a late response without an unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (thrown: unknown) => unhandled.push(thrown);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    let fail = (_: Error) => {};
    const fetch = () =>
      new Promise<Response>((_, reject) => {
        fail = reject;
      });
    const client = createPlatformClient({ baseUrl: "https://api.example.com", token: "t", timeoutMs: 10, fetch });
    await rejection(client.vault.deleteItem(request));
    fail(new TypeError("late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it("keeps one listener on a signal, however often it sleeps", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    for (let turn = 0; turn < 3; turn += 1) await systemClock.sleep(0, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
  });
});
