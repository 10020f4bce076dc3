import { describe, expect, it } from "vitest";
import { type AccessToken, createTokenSource, type TokenRequest } from "./access-token.js";
import { systemClock } from "./clock.js";

const untilNever = new AbortController().signal;

/** A provider whose answers the test gives, one for each time it is asked. */
function askedProvider() {
  const asked: (TokenRequest & { give(token: string | AccessToken): void; fail(thrown: unknown): void })[] = [];
  let now = 1_000_000;
  const source = createTokenSource((request) => new Promise((give, fail) => asked.push({ ...request, give, fail })), {
    ...systemClock,
    now: () => now,
  });
  return {
    asked,
    source,
    get: (signal = untilNever) => source.get(signal),
    /** A token that lives for so many seconds from now. */
    lasting: (accessToken: string, seconds: number) => ({ accessToken, expiresAt: new Date(now + seconds * 1000) }),
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

describe("a fixed token", () => {
  it("is used for ever, and has no other", async () => {
    const source = createTokenSource("token-1");
    expect(await source.get(untilNever)).toBe("token-1");
    source.reject("token-1");
    expect(await source.get(untilNever)).toBe("token-1");
  });
});

describe("a token provider", () => {
  it("is asked when a token is first needed, not before", async () => {
    const { asked, get } = askedProvider();
    expect(asked).toEqual([]);
    const token = get();
    expect(asked).toMatchObject([{ reason: "first" }]);
    asked[0]?.give("token-1");
    expect(await token).toBe("token-1");
  });

  it("is asked once, whatever the load", async () => {
    const { asked, get } = askedProvider();
    const tokens = Array.from({ length: 50 }, () => get());
    expect(asked).toHaveLength(1);
    asked[0]?.give("token-1");
    expect(new Set(await Promise.all(tokens))).toEqual(new Set(["token-1"]));
    expect(await get()).toBe("token-1");
    expect(asked).toHaveLength(1);
  });

  it.each([
    { life: 60, usedFor: 29, askedAfter: 30 },
    { life: 20, usedFor: 9, askedAfter: 10 },
  ])(
    "a token of $life s is used for $usedFor s and renewed after $askedAfter s",
    async ({ life, usedFor, askedAfter }) => {
      const { asked, get, lasting, pass } = askedProvider();
      const first = get();
      asked[0]?.give(lasting("token-1", life));
      await first;
      pass(usedFor);
      expect(await get()).toBe("token-1");
      pass(askedAfter - usedFor);
      const second = get();
      expect(asked).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
      asked[1]?.give("token-2");
      expect(await second).toBe("token-2");
    },
  );

  it("a token that is expired when it comes serves those who wait for it, and no one after them", async () => {
    const { asked, get, lasting } = askedProvider();
    const waiting = get();
    asked[0]?.give(lasting("token-1", -1));
    expect(await waiting).toBe("token-1");
    void get();
    expect(asked).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
  });

  it("a token without an end is used until the server rejects it", async () => {
    const { asked, get, pass, source } = askedProvider();
    const first = get();
    asked[0]?.give("token-1");
    await first;
    pass(1_000_000);
    expect(await get()).toBe("token-1");
    source.reject("token-1");
    const others = [get(), get()];
    source.reject("token-1");
    others.push(get());
    expect(asked).toMatchObject([{ reason: "first" }, { reason: "rejected" }]);
    asked[1]?.give("token-2");
    expect(await Promise.all(others)).toEqual(["token-2", "token-2", "token-2"]);
  });

  it("a rejection of a token that is replaced already asks for nothing", async () => {
    const { asked, get, source } = askedProvider();
    const first = get();
    asked[0]?.give("token-2");
    await first;
    source.reject("token-1");
    expect(await get()).toBe("token-2");
    expect(asked).toHaveLength(1);
  });

  it("what it fails with reaches everyone who waits; it is left alone for a second, then for two", async () => {
    const { asked, get, pass } = askedProvider();
    const waiting = [get(), get()];
    const settled = Promise.allSettled(waiting);
    asked[0]?.fail(new RangeError("no"));
    expect(await settled).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    pass(0.9);
    await expect(get()).rejects.toThrow("no");
    expect(asked).toHaveLength(1);
    pass(0.1);
    const again = get();
    asked[1]?.fail(new RangeError("still no"));
    await expect(again).rejects.toThrow("still no");
    pass(1.9);
    await expect(get()).rejects.toThrow("still no");
    pass(0.1);
    const next = get();
    asked[2]?.give("token-1");
    expect(await next).toBe("token-1");
  });

  it("is asked beside the calls from 120 s before the end on: they go on with the token that they have", async () => {
    const { asked, get, lasting, pass } = askedProvider();
    const first = get();
    asked[0]?.give(lasting("token-1", 900));
    await first;
    pass(779);
    expect(await get()).toBe("token-1");
    expect(asked).toHaveLength(1);
    pass(1);
    expect(await Promise.all([get(), get()])).toEqual(["token-1", "token-1"]);
    expect(asked).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
    asked[1]?.give(lasting("token-2", 900));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await get()).toBe("token-2");
  });

  it("that fails shortly before the end leaves the calls the token that they have, until it ends", async () => {
    const { asked, get, lasting, pass } = askedProvider();
    const first = get();
    asked[0]?.give(lasting("token-1", 900));
    await first;
    pass(880);
    const waiting = get();
    asked[1]?.fail(new RangeError("no"));
    expect(await waiting).toBe("token-1");
    expect(await get()).toBe("token-1");
    pass(20);
    const late = get();
    asked[2]?.fail(new RangeError("no"));
    await expect(late).rejects.toThrow("no");
  });

  it.each(["", "to ken", "a\nb", "Bearer a", "ключ"])("%j is no bearer token (RFC 6750 section 2.1)", async (token) => {
    const { asked, get } = askedProvider();
    const waiting = get();
    asked[0]?.give(token);
    await expect(waiting).rejects.toThrow("the token is not a bearer token (RFC 6750 section 2.1)");
  });

  it("is told when nobody waits any more, and only then; who comes later asks anew", async () => {
    const { asked, get } = askedProvider();
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = Promise.allSettled([get(first.signal), get(second.signal)]);
    first.abort();
    expect(asked[0]?.signal.aborted).toBe(false);
    second.abort();
    expect(asked[0]?.signal.aborted).toBe(true);
    const later = get();
    expect(asked).toHaveLength(2);
    asked[1]?.give("token-2");
    asked[0]?.give("token-1");
    await waiting;
    expect(await later).toBe("token-2");
    expect(await get()).toBe("token-2");
  });

  it("is not told to stop once it has answered", async () => {
    const { asked, get } = askedProvider();
    const caller = new AbortController();
    const token = get(caller.signal);
    asked[0]?.give("token-1");
    await token;
    caller.abort();
    expect(asked[0]?.signal.aborted).toBe(false);
  });
});
