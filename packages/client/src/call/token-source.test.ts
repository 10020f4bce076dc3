import { describe, expect, it } from "vitest";
import type { AccessToken, TokenProvider, TokenRequest } from "../options/token.js";
import { createFakeClock } from "../testing/fake-clock.js";
import { createTokenSource, type TokenSource } from "./token-source.js";

const timeoutMs = 15_000;

/** A provider that waits for the test to answer each of its requests. */
function controlledProvider() {
  const requests: (TokenRequest & { give(token: string | AccessToken): void; fail(thrown: unknown): void })[] = [];
  const clock = createFakeClock();
  const provider: TokenProvider = (request) => new Promise((give, fail) => requests.push({ ...request, give, fail }));
  const { get: getToken, reject, accept } = createTokenSource(provider, { timeoutMs, clock, notify: () => undefined });
  const source = { reject, accept };
  return {
    requests,
    source,
    get: () => getToken({ info: { requestId: "request-1" } }),
    /** A token that expires so many seconds from now. */
    lasting: (accessToken: string, seconds: number) => ({
      accessToken,
      expiresAt: new Date(clock.now() + seconds * 1000),
    }),
    pass: (seconds: number) => clock.pass(seconds * 1000),
  };
}

/** Runs everything that is ready to run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a fixed token", () => {
  it("is used also after a rejection", async () => {
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
  it("is called when a token is first needed, not before", async () => {
    const { requests, get } = controlledProvider();
    await settle();
    expect(requests).toEqual([]);
    const token = get();
    await settle();
    expect(requests).toMatchObject([{ reason: "first" }]);
    await settle();
    requests[0]?.give("token-1");
    expect(await token).toBe("token-1");
  });

  it("is called once for concurrent calls", async () => {
    const { requests, get } = controlledProvider();
    const tokens = Array.from({ length: 50 }, () => get());
    await settle();
    expect(requests).toHaveLength(1);
    await settle();
    requests[0]?.give("token-1");
    expect(new Set(await Promise.all(tokens))).toEqual(new Set(["token-1"]));
    expect(await get()).toBe("token-1");
    await settle();
    expect(requests).toHaveLength(1);
  });

  it.each([
    { lifetime: 60, usedFor: 29, renewedAfter: 30 },
    { lifetime: 20, usedFor: 9, renewedAfter: 10 },
  ])(
    "a token of $lifetime s is used for $usedFor s and renewed after $renewedAfter s",
    async ({ lifetime, usedFor, renewedAfter }) => {
      const { requests, get, lasting, pass } = controlledProvider();
      const first = get();
      await settle();
      requests[0]?.give(lasting("token-1", lifetime));
      await first;
      pass(usedFor);
      expect(await get()).toBe("token-1");
      pass(renewedAfter - usedFor);
      const second = get();
      await settle();
      expect(requests).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
      await settle();
      requests[1]?.give("token-2");
      expect(await second).toBe("token-2");
    },
  );

  it("a token that is expired when it arrives is used until the server rejects it: the clock may be wrong", async () => {
    const { requests, get, lasting, source } = controlledProvider();
    const waiting = get();
    await settle();
    requests[0]?.give(lasting("token-1", -1));
    expect(await waiting).toBe("token-1");
    expect(await get()).toBe("token-1");
    source.reject("token-1");
    void get();
    await settle();
    expect(requests).toMatchObject([{ reason: "first" }, { reason: "rejected" }]);
  });

  it("a token without expiry is used until the server rejects it", async () => {
    const { requests, get, pass, source } = controlledProvider();
    const first = get();
    await settle();
    requests[0]?.give("token-1");
    await first;
    pass(1_000_000);
    expect(await get()).toBe("token-1");
    source.reject("token-1");
    const others = [get(), get()];
    source.reject("token-1");
    others.push(get());
    await settle();
    expect(requests).toMatchObject([{ reason: "first" }, { reason: "rejected" }]);
    await settle();
    requests[1]?.give("token-2");
    expect(await Promise.all(others)).toEqual(["token-2", "token-2", "token-2"]);
  });

  it("is not called when the rejected token is replaced already", async () => {
    const { requests, get, source } = controlledProvider();
    const first = get();
    await settle();
    requests[0]?.give("token-2");
    await first;
    source.reject("token-1");
    expect(await get()).toBe("token-2");
    await settle();
    expect(requests).toHaveLength(1);
  });

  it("its error reaches every waiting call; it is called again after one second, then after two", async () => {
    const { requests, get, pass } = controlledProvider();
    const waiting = [get(), get()];
    const settled = Promise.allSettled(waiting);
    await settle();
    requests[0]?.fail(new RangeError("no"));
    expect(await settled).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    pass(0.9);
    await expect(get()).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
    await settle();
    expect(requests).toHaveLength(1);
    pass(0.1);
    const again = get();
    await settle();
    requests[1]?.fail(new RangeError("still no"));
    await expect(again).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
    pass(1.9);
    await expect(get()).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
    pass(0.1);
    const next = get();
    await settle();
    requests[2]?.give("token-1");
    expect(await next).toBe("token-1");
  });

  it("is called in the background from 120 s before expiry on; calls use the cached token", async () => {
    const { requests, get, lasting, pass } = controlledProvider();
    const first = get();
    await settle();
    requests[0]?.give(lasting("token-1", 900));
    await first;
    pass(779);
    expect(await get()).toBe("token-1");
    await settle();
    expect(requests).toHaveLength(1);
    pass(1);
    expect(await Promise.all([get(), get()])).toEqual(["token-1", "token-1"]);
    await settle();
    expect(requests).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
    await settle();
    requests[1]?.give(lasting("token-2", 900));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await get()).toBe("token-2");
  });

  it("that fails shortly before expiry leaves calls the cached token until it expires", async () => {
    const { requests, get, lasting, pass } = controlledProvider();
    const first = get();
    await settle();
    requests[0]?.give(lasting("token-1", 900));
    await first;
    pass(880);
    const waiting = get();
    await settle();
    requests[1]?.fail(new RangeError("no"));
    expect(await waiting).toBe("token-1");
    expect(await get()).toBe("token-1");
    pass(20);
    const late = get();
    await settle();
    requests[2]?.fail(new RangeError("no"));
    await expect(late).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
  });

  it.each(["", "to ken", "a\nb", "Bearer a", "ключ"])(
    "%j is not a bearer token (RFC 6750 section 2.1)",
    async (token) => {
      const { requests, get } = controlledProvider();
      const waiting = get();
      await settle();
      requests[0]?.give(token);
      await expect(waiting).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", code: "unauthenticated" });
    },
  );

  it("is aborted after timeoutMs and called again after the back-off", async () => {
    const { requests, get, pass } = controlledProvider();
    const waiting = expect(get()).rejects.toMatchObject({
      code: "unavailable",
      cause: { reason: "DEADLINE_EXCEEDED" },
    });
    await settle();
    pass(14.999);
    expect(requests[0]?.signal.aborted).toBe(false);
    pass(0.001);
    await waiting;
    expect(requests[0]?.signal.aborted).toBe(true);
    pass(1);
    const later = get();
    await settle();
    requests[1]?.give("token-2");
    requests[0]?.give("token-1");
    expect(await later).toBe("token-2");
    expect(await get()).toBe("token-2");
  });

  it("that hangs during a renewal in the background is aborted, too", async () => {
    const { requests, get, lasting, pass } = controlledProvider();
    const first = get();
    await settle();
    requests[0]?.give(lasting("token-1", 900));
    await first;
    pass(800);
    expect(await get()).toBe("token-1");
    pass(15);
    await settle();
    pass(85);
    const late = get();
    await settle();
    expect(requests).toMatchObject([{}, { reason: "expired", signal: { aborted: true } }, { reason: "expired" }]);
    requests[2]?.give("token-2");
    expect(await late).toBe("token-2");
  });

  it("may return a token again that was rejected once", async () => {
    const { requests, get, lasting, pass, source } = controlledProvider();
    for (const [turn, token] of ["token-1", "token-2", "token-1"].entries()) {
      const given = get();
      await settle();
      expect(requests).toHaveLength(turn + 1);
      requests[turn]?.give(lasting(token, 900));
      expect(await given).toBe(token);
      if (turn === 0) source.reject(token);
      else pass(900);
    }
  });

  it("is not called for every call when the server rejects every token", async () => {
    const { requests, get, pass, source } = controlledProvider();
    const rejected = async () => {
      const before = requests.length;
      const token = get();
      await settle();
      if (requests.length > before) requests[before]?.give(`token-${before}`);
      source.reject(await token);
    };
    for (let call = 0; call < 20; call += 1) await rejected();
    expect(requests).toHaveLength(2);
    pass(1);
    for (let call = 0; call < 20; call += 1) await rejected();
    expect(requests).toHaveLength(3);
    pass(1);
    for (let call = 0; call < 20; call += 1) await rejected();
    expect(requests).toHaveLength(3);
  });

  it("is called at once when the server rejects a token that it had accepted", async () => {
    const { requests, get, source } = controlledProvider();
    for (let number = 0; number < 5; number += 1) {
      const token = get();
      await settle();
      requests[number]?.give(`token-${number}`);
      await token;
      source.accept();
      source.reject(await token);
    }
    expect(requests).toHaveLength(5);
  });

  it("fails after timeoutMs if it waits for a token of the same client", async () => {
    const clock = createFakeClock();
    let requests = 0;
    const provider: TokenProvider = async () => {
      requests += 1;
      await undefined;
      return await get({ info: { requestId: "request-1" } });
    };
    const { get }: TokenSource = createTokenSource(provider, { timeoutMs, clock, notify: () => undefined });
    const failed = expect(get({ info: { requestId: "request-1" } })).rejects.toMatchObject({
      code: "unavailable",
      cause: { reason: "DEADLINE_EXCEEDED" },
    });
    await settle();
    clock.pass(timeoutMs);
    await failed;
    expect(requests).toBe(1);
  });

  it("is called again without a longer back-off when the clock is set back", async () => {
    const { requests, get, pass } = controlledProvider();
    const failed = expect(get()).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } });
    await settle();
    requests[0]?.fail(new RangeError("no"));
    await failed;
    pass(-3_600);
    const again = get();
    await settle();
    requests[1]?.give("token-1");
    expect(await again).toBe("token-1");
  });

  it("may return the expiry of a token as a string", async () => {
    const { requests, get, lasting, pass } = controlledProvider();
    const first = get();
    await settle();
    requests[0]?.give({ accessToken: "token-1", expiresAt: lasting("", 60).expiresAt.toJSON() });
    await first;
    pass(29);
    expect(await get()).toBe("token-1");
    pass(1);
    void get();
    await settle();
    expect(requests).toHaveLength(2);
  });

  it.each([
    { what: "an invalid date", expiresAt: new Date(Number.NaN) },
    { what: "text that is not a date", expiresAt: "settle" },
    { what: "seconds instead of milliseconds", expiresAt: new Date(1_900_000_000) },
    { what: "a number of seconds", expiresAt: JSON.parse("1900000000") },
    { what: "seconds as text", expiresAt: "1900000000" },
  ])("rejects an expiry that is $what", async ({ expiresAt }) => {
    const { requests, get } = controlledProvider();
    const first = get();
    await settle();
    requests[0]?.give({ accessToken: "token-1", expiresAt });
    await expect(first).rejects.toMatchObject({
      reason: "TOKEN_UNAVAILABLE",
      cause: new RangeError("expiresAt must be a Date or an ISO 8601 string, not seconds."),
    });
  });

  it("uses a token whose expiry is null until the server rejects it", async () => {
    const { requests, get, pass } = controlledProvider();
    const first = get();
    await settle();
    requests[0]?.give({ accessToken: "token-1", expiresAt: JSON.parse("null") });
    await first;
    pass(1_000_000);
    expect(await get()).toBe("token-1");
  });
});
