import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAccountsSite } from "../testing/accounts-site.js";
import type { AccountsEnvironment } from "./environment.js";
import { limitTime } from "./limit-time.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waits, by the fake clock. */
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("DECISIONS section 7: a request of the accounts origin has a deadline of 15 s", () => {
  it.each([
    ["/account", {}, expect.stringContaining("Not available")],
    ["/account/api/console", {}, { reason: "UNAVAILABLE", message: expect.stringContaining("Not available") }],
    ["/oauth/token", { form: {} }, expect.objectContaining({ error: "temporarily_unavailable" })],
  ])("%s responds then, in its own form, while a step hangs", async (path, request, body) => {
    const site = await createAccountsSite({ rateLimiter: { take: () => new Promise(() => {}) } });
    try {
      let answered = false;
      const answer = site
        .openBrowser()
        .send(path, { ...request, headers: { Accept: "text/html" } })
        .finally(() => {
          answered = true;
        });
      await vi.advanceTimersByTimeAsync(14_999);
      expect(answered).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      const { status, headers, body: sent } = await answer;
      expect({ status, sent }).toEqual({ status: 503, sent: body });
      expect(headers.get("Retry-After")).toBe("1");
    } finally {
      await site.close();
    }
  });

  it("does not begin further steps then, and ignores what the running one does", async () => {
    const wanted: boolean[] = [];
    const app = new Hono<AccountsEnvironment>();
    app.use(limitTime());
    app.get("/:ends", async (context) => {
      wanted.push(context.get("wanted")());
      await wait(16_000);
      wanted.push(context.get("wanted")());
      context.header("Set-Cookie", "late");
      if (context.req.param("ends") === "fails") throw new TypeError("late");
      return context.text("late");
    });
    app.onError(({ name }, context) => context.text(name, 503));
    const answers = Promise.all(["succeeds", "fails"].map((ends) => app.request(`/${ends}`)));
    await vi.advanceTimersByTimeAsync(20_000);
    for (const answer of await answers) {
      expect([answer.status, await answer.text(), answer.headers.get("Set-Cookie")]).toEqual([
        503,
        "RequestError",
        null,
      ]);
    }
    expect(wanted).toEqual([true, true, false, false]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
