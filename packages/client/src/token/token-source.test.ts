import { describe, expect, it } from "vitest";
import { createFakeClock } from "../testing/fake-clock.js";
import type { AccessToken, TokenProvider, TokenRequest } from "./access-token.js";
import { createTokenSource, type TokenSource } from "./token-source.js";

const timeoutMs = 15_000;

/** A provider whose answers the test gives, one for each time it is asked. */
function askedProvider() {
  const asked: (TokenRequest & { give(token: string | AccessToken): void; fail(thrown: unknown): void })[] = [];
  const clock = createFakeClock();
  const provider: TokenProvider = (request) => new Promise((give, fail) => asked.push({ ...request, give, fail }));
  const { get: getToken, reject, accept } = createTokenSource(provider, { timeoutMs, clock, notify: () => undefined });
  const source = { reject, accept };
  return {
    asked,
    source,
    get: () => getToken({ info: { requestId: "request-1" } }),
    /** A token that lives for so many seconds from now. */
    lasting: (accessToken: string, seconds: number) => ({
      accessToken,
      expiresAt: new Date(clock.now() + seconds * 1000),
    }),
    pass: (seconds: number) => clock.pass(seconds * 1000),
  };
}

/** Lets whatever can go on go on. */
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("a fixed token", () => {
  it("is used for ever, and has no other", async () => {
    const { get, reject } = createTokenSource(() => "token-1", {
      timeoutMs,
      clock: createFakeClock(),
      notify: () => undefined,
    });
    expect(await get({ info: { requestId: "request-1" } })).toBe("token-1");
    reject("token-1");
    expect(await get({ info: { requestId: "request-1" } })).toBe("token-1");
  });
});

describe("a token provider", () => {
  it("is asked when a token is first needed, not before", async () => {
    const { asked, get } = askedProvider();
    await soon();
    expect(asked).toEqual([]);
    const token = get();
    await soon();
    expect(asked).toMatchObject([{ reason: "first" }]);
    await soon();
    asked[0]?.give("token-1");
    expect(await token).toBe("token-1");
  });

  it("is asked once, whatever the load", async () => {
    const { asked, get } = askedProvider();
    const tokens = Array.from({ length: 50 }, () => get());
    await soon();
    expect(asked).toHaveLength(1);
    await soon();
    asked[0]?.give("token-1");
    expect(new Set(await Promise.all(tokens))).toEqual(new Set(["token-1"]));
    expect(await get()).toBe("token-1");
    await soon();
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
      await soon();
      asked[0]?.give(lasting("token-1", life));
      await first;
      pass(usedFor);
      expect(await get()).toBe("token-1");
      pass(askedAfter - usedFor);
      const second = get();
      await soon();
      expect(asked).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
      await soon();
      asked[1]?.give("token-2");
      expect(await second).toBe("token-2");
    },
  );

  it("a token that has ended when it comes is used until the server rejects it: the clock may be wrong", async () => {
    const { asked, get, lasting, source } = askedProvider();
    const waiting = get();
    await soon();
    asked[0]?.give(lasting("token-1", -1));
    expect(await waiting).toBe("token-1");
    expect(await get()).toBe("token-1");
    source.reject("token-1");
    void get();
    await soon();
    expect(asked).toMatchObject([{ reason: "first" }, { reason: "rejected" }]);
  });

  it("a token without an end is used until the server rejects it", async () => {
    const { asked, get, pass, source } = askedProvider();
    const first = get();
    await soon();
    asked[0]?.give("token-1");
    await first;
    pass(1_000_000);
    expect(await get()).toBe("token-1");
    source.reject("token-1");
    const others = [get(), get()];
    source.reject("token-1");
    others.push(get());
    await soon();
    expect(asked).toMatchObject([{ reason: "first" }, { reason: "rejected" }]);
    await soon();
    asked[1]?.give("token-2");
    expect(await Promise.all(others)).toEqual(["token-2", "token-2", "token-2"]);
  });

  it("a rejection of a token that is replaced already asks for nothing", async () => {
    const { asked, get, source } = askedProvider();
    const first = get();
    await soon();
    asked[0]?.give("token-2");
    await first;
    source.reject("token-1");
    expect(await get()).toBe("token-2");
    await soon();
    expect(asked).toHaveLength(1);
  });

  it("what it fails with reaches everyone who waits; it is left alone for a second, then for two", async () => {
    const { asked, get, pass } = askedProvider();
    const waiting = [get(), get()];
    const settled = Promise.allSettled(waiting);
    await soon();
    asked[0]?.fail(new RangeError("no"));
    expect(await settled).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    pass(0.9);
    await expect(get()).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
    await soon();
    expect(asked).toHaveLength(1);
    pass(0.1);
    const again = get();
    await soon();
    asked[1]?.fail(new RangeError("still no"));
    await expect(again).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
    pass(1.9);
    await expect(get()).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
    pass(0.1);
    const next = get();
    await soon();
    asked[2]?.give("token-1");
    expect(await next).toBe("token-1");
  });

  it("is asked beside the calls from 120 s before the end on: they go on with the token that they have", async () => {
    const { asked, get, lasting, pass } = askedProvider();
    const first = get();
    await soon();
    asked[0]?.give(lasting("token-1", 900));
    await first;
    pass(779);
    expect(await get()).toBe("token-1");
    await soon();
    expect(asked).toHaveLength(1);
    pass(1);
    expect(await Promise.all([get(), get()])).toEqual(["token-1", "token-1"]);
    await soon();
    expect(asked).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
    await soon();
    asked[1]?.give(lasting("token-2", 900));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await get()).toBe("token-2");
  });

  it("that fails shortly before the end leaves the calls the token that they have, until it ends", async () => {
    const { asked, get, lasting, pass } = askedProvider();
    const first = get();
    await soon();
    asked[0]?.give(lasting("token-1", 900));
    await first;
    pass(880);
    const waiting = get();
    await soon();
    asked[1]?.fail(new RangeError("no"));
    expect(await waiting).toBe("token-1");
    expect(await get()).toBe("token-1");
    pass(20);
    const late = get();
    await soon();
    asked[2]?.fail(new RangeError("no"));
    await expect(late).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
  });

  it.each(["", "to ken", "a\nb", "Bearer a", "ключ"])("%j is no bearer token (RFC 6750 section 2.1)", async (token) => {
    const { asked, get } = askedProvider();
    const waiting = get();
    await soon();
    asked[0]?.give(token);
    await expect(waiting).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", code: "unauthenticated" });
  });

  it("is given the time that a call has, and then asked anew, after the back-off", async () => {
    const { asked, get, pass } = askedProvider();
    const waiting = expect(get()).rejects.toMatchObject({
      code: "unavailable",
      cause: { reason: "DEADLINE_EXCEEDED" },
    });
    await soon();
    pass(14.999);
    expect(asked[0]?.signal.aborted).toBe(false);
    pass(0.001);
    await waiting;
    expect(asked[0]?.signal.aborted).toBe(true);
    pass(1);
    const later = get();
    await soon();
    asked[1]?.give("token-2");
    asked[0]?.give("token-1");
    expect(await later).toBe("token-2");
    expect(await get()).toBe("token-2");
  });

  it("that hangs while it renews beside the calls is given up, too", async () => {
    const { asked, get, lasting, pass } = askedProvider();
    const first = get();
    await soon();
    asked[0]?.give(lasting("token-1", 900));
    await first;
    pass(800);
    expect(await get()).toBe("token-1");
    pass(15);
    await soon();
    pass(85);
    const late = get();
    await soon();
    expect(asked).toMatchObject([{}, { reason: "expired", signal: { aborted: true } }, { reason: "expired" }]);
    asked[2]?.give("token-2");
    expect(await late).toBe("token-2");
  });

  it("is not asked for ever when it gives again what was once rejected", async () => {
    const { asked, get, lasting, pass, source } = askedProvider();
    for (const [turn, token] of ["token-1", "token-2", "token-1"].entries()) {
      const given = get();
      await soon();
      expect(asked).toHaveLength(turn + 1);
      asked[turn]?.give(lasting(token, 900));
      expect(await given).toBe(token);
      if (turn === 0) source.reject(token);
      else pass(900);
    }
  });

  it("is not asked with every call by a server that rejects whatever it gives", async () => {
    const { asked, get, pass, source } = askedProvider();
    const rejected = async () => {
      const before = asked.length;
      const token = get();
      await soon();
      if (asked.length > before) asked[before]?.give(`token-${before}`);
      source.reject(await token);
    };
    for (let call = 0; call < 20; call += 1) await rejected();
    expect(asked).toHaveLength(2);
    pass(1);
    for (let call = 0; call < 20; call += 1) await rejected();
    expect(asked).toHaveLength(3);
    pass(1);
    for (let call = 0; call < 20; call += 1) await rejected();
    expect(asked).toHaveLength(3);
  });

  it("is asked at once when a token is rejected that the server had accepted", async () => {
    const { asked, get, source } = askedProvider();
    for (let number = 0; number < 5; number += 1) {
      const token = get();
      await soon();
      asked[number]?.give(`token-${number}`);
      await token;
      source.accept();
      source.reject(await token);
    }
    expect(asked).toHaveLength(5);
  });

  it("that calls for a token itself waits for itself, not for ever", async () => {
    const clock = createFakeClock();
    let asked = 0;
    const provider: TokenProvider = async () => {
      asked += 1;
      await undefined;
      return await get({ info: { requestId: "request-1" } });
    };
    const { get }: TokenSource = createTokenSource(provider, { timeoutMs, clock, notify: () => undefined });
    const failed = expect(get({ info: { requestId: "request-1" } })).rejects.toMatchObject({
      code: "unavailable",
      cause: { reason: "DEADLINE_EXCEEDED" },
    });
    await soon();
    clock.pass(timeoutMs);
    await failed;
    expect(asked).toBe(1);
  });

  it("is left alone no longer than was meant when the clock is set back", async () => {
    const { asked, get, pass } = askedProvider();
    const failed = expect(get()).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
    await soon();
    asked[0]?.fail(new RangeError("no"));
    await failed;
    pass(-3_600);
    const again = get();
    await soon();
    asked[1]?.give("token-1");
    expect(await again).toBe("token-1");
  });

  it("may tell the end of a token as JSON has it", async () => {
    const { asked, get, lasting, pass } = askedProvider();
    const first = get();
    await soon();
    asked[0]?.give({ accessToken: "token-1", expiresAt: lasting("", 60).expiresAt.toJSON() });
    await first;
    pass(29);
    expect(await get()).toBe("token-1");
    pass(1);
    void get();
    await soon();
    expect(asked).toHaveLength(2);
  });

  it.each([new Date(Number.NaN), "soon"])("%j is no end of a token: the server will say", async (expiresAt) => {
    const { asked, get, pass } = askedProvider();
    const first = get();
    await soon();
    asked[0]?.give({ accessToken: "token-1", expiresAt });
    await first;
    pass(1_000_000);
    expect(await get()).toBe("token-1");
  });
});
