import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AccountsEnvironment } from "../../src/http/environment.js";
import { limitTime } from "../../src/http/limit-time.js";
import { createAccountsSite } from "../../src/testing/accounts-site.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waits, by the fake clock. */
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("DECISIONS section 7: a request of the accounts origin has a deadline of 15 s", () => {
  it("gets a response then, while a step hangs", async () => {
    const site = await createAccountsSite({ rateLimiter: { take: () => new Promise(() => {}) } });
    try {
      let answered = false;
      const answer = site
        .openBrowser()
        .send("/account/api/console")
        .finally(() => {
          answered = true;
        });
      await vi.advanceTimersByTimeAsync(14_999);
      expect(answered).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      const { status, headers, body } = await answer;
      expect({ status, body }).toMatchObject({ status: 503, body: { reason: "UNAVAILABLE" } });
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
