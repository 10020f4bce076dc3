import { describe, expect, it } from "vitest";
import type { AccessToken, TokenProvider, TokenRequest } from "../options/token.js";
import { createFakeClock } from "../testing/fake-clock.js";
import { createTokenSource, type TokenSource } from "./token-source.js";

const timeoutMs = 15_000;
const call = { info: { requestId: "request-1" } };

/** A provider that waits for the test to answer each of its requests. */
function controlledProvider() {
  const requests: (TokenRequest & { give(token: string | AccessToken): void; fail(thrown: unknown): void })[] = [];
  const clock = createFakeClock();
  const provider: TokenProvider = (request) => new Promise((give, fail) => requests.push({ ...request, give, fail }));
  const { get: getToken, ...source } = createTokenSource(provider, { timeoutMs, clock, notify: () => undefined });
  const get = () => getToken(call);
  /** Gets a token. The provider must be asked for it, and answers. */
  async function obtain(answer: string | AccessToken | Error): Promise<string> {
    const before = requests.length;
    const token = get();
    await settle();
    const request = requests[before] ?? expect.unreachable("the provider was not called");
    if (answer instanceof Error) request.fail(answer);
    else request.give(answer);
    return token;
  }
  return {
    requests,
    source,
    get,
    obtain,
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

const no = new RangeError("no");
const unavailable = { reason: "TOKEN_UNAVAILABLE", cause: { name: "RangeError" } };

it("a fixed token is used also after a rejection", async () => {
  const options = { timeoutMs, clock: createFakeClock(), notify: () => undefined };
  const { get, reject } = createTokenSource(() => "token-1", options);
  expect(await get(call)).toBe("token-1");
  reject("token-1");
  expect(await get(call)).toBe("token-1");
});

describe("a token provider", () => {
  it("is called when a token is first needed, not before", async () => {
    const { requests, obtain } = controlledProvider();
    await settle();
    expect(requests).toEqual([]);
    expect(await obtain("token-1")).toBe("token-1");
    expect(requests).toMatchObject([{ reason: "first" }]);
  });

  it("is called once for concurrent calls", async () => {
    const { requests, get, obtain } = controlledProvider();
    const first = obtain("token-1");
    const others = Array.from({ length: 50 }, () => get());
    expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set(["token-1"]));
    expect(await get()).toBe("token-1");
    expect(requests).toHaveLength(1);
  });

  it.each([
    { lifetime: 60, usedFor: 29, renewedAfter: 30 },
    { lifetime: 20, usedFor: 9, renewedAfter: 10 },
  ])(
    "a token of $lifetime s is used for $usedFor s and renewed after $renewedAfter s",
    async ({ lifetime, usedFor, renewedAfter }) => {
      const { requests, get, obtain, lasting, pass } = controlledProvider();
      await obtain(lasting("token-1", lifetime));
      pass(usedFor);
      expect(await get()).toBe("token-1");
      pass(renewedAfter - usedFor);
      expect(await obtain("token-2")).toBe("token-2");
      expect(requests).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
    },
  );

  it("a token that is expired when it arrives is used until the server rejects it: the clock may be wrong", async () => {
    const { requests, get, obtain, lasting, source } = controlledProvider();
    expect(await obtain(lasting("token-1", -1))).toBe("token-1");
    expect(await get()).toBe("token-1");
    source.reject("token-1");
    await obtain("token-2");
    expect(requests).toMatchObject([{ reason: "first" }, { reason: "rejected" }]);
  });

  it.each([{ given: "token-1" }, { given: { accessToken: "token-1", expiresAt: JSON.parse("null") } }])(
    "$given, without expiry, is used until the server rejects it",
    async ({ given }) => {
      const { requests, get, obtain, pass, source } = controlledProvider();
      await obtain(given);
      pass(1_000_000);
      expect(await get()).toBe("token-1");
      source.reject("token-1");
      const others = [obtain("token-2"), get()];
      source.reject("token-1");
      others.push(get());
      expect(await Promise.all(others)).toEqual(["token-2", "token-2", "token-2"]);
      expect(requests).toMatchObject([{ reason: "first" }, { reason: "rejected" }]);
    },
  );

  it("is not called when the rejected token is replaced already", async () => {
    const { requests, get, obtain, source } = controlledProvider();
    await obtain("token-2");
    source.reject("token-1");
    expect(await get()).toBe("token-2");
    expect(requests).toHaveLength(1);
  });

  it("its error reaches every waiting call; it is called again after one second, then after two", async () => {
    const { requests, get, obtain, pass } = controlledProvider();
    const settled = await Promise.allSettled([obtain(no), get()]);
    expect(settled).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    pass(0.9);
    await expect(get()).rejects.toMatchObject(unavailable);
    expect(requests).toHaveLength(1);
    pass(0.1);
    await expect(obtain(no)).rejects.toMatchObject(unavailable);
    pass(1.9);
    await expect(get()).rejects.toMatchObject(unavailable);
    pass(0.1);
    expect(await obtain("token-1")).toBe("token-1");
  });

  it("is called in the background from 120 s before expiry on; calls use the cached token", async () => {
    const { requests, get, obtain, lasting, pass } = controlledProvider();
    await obtain(lasting("token-1", 900));
    pass(779);
    expect(await get()).toBe("token-1");
    await settle();
    expect(requests).toHaveLength(1);
    pass(1);
    expect(await Promise.all([get(), get()])).toEqual(["token-1", "token-1"]);
    await settle();
    expect(requests).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
    requests[1]?.give(lasting("token-2", 900));
    await settle();
    expect(await get()).toBe("token-2");
  });

  it("that fails shortly before expiry leaves calls the cached token until it expires", async () => {
    const { get, obtain, lasting, pass } = controlledProvider();
    await obtain(lasting("token-1", 900));
    pass(880);
    expect(await obtain(no)).toBe("token-1");
    expect(await get()).toBe("token-1");
    pass(20);
    await expect(obtain(no)).rejects.toMatchObject(unavailable);
  });

  it.each(["", "to ken", "a\nb", "Bearer a", "ключ"])(
    "%j is not a bearer token (RFC 6750 section 2.1)",
    async (token) => {
      const { obtain } = controlledProvider();
      await expect(obtain(token)).rejects.toMatchObject({ reason: "TOKEN_UNAVAILABLE", code: "unauthenticated" });
    },
  );

  it("is aborted after timeoutMs and called again after the back-off", async () => {
    const { requests, get, obtain, pass } = controlledProvider();
    const late = { code: "unavailable", cause: { reason: "DEADLINE_EXCEEDED" } };
    const waiting = expect(get()).rejects.toMatchObject(late);
    await settle();
    pass(14.999);
    expect(requests[0]?.signal.aborted).toBe(false);
    pass(0.001);
    await waiting;
    expect(requests[0]?.signal.aborted).toBe(true);
    pass(1);
    expect(await obtain("token-2")).toBe("token-2");
    requests[0]?.give("token-1");
    expect(await get()).toBe("token-2");
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
    const { obtain, source } = controlledProvider();
    for (let number = 0; number < 5; number += 1) {
      const token = await obtain(`token-${number}`);
      source.accept();
      source.reject(token);
    }
  });

  it("fails after timeoutMs if it waits for a token of the same client", async () => {
    const clock = createFakeClock();
    let requests = 0;
    const provider: TokenProvider = async () => {
      requests += 1;
      await undefined;
      return await get(call);
    };
    const { get }: TokenSource = createTokenSource(provider, { timeoutMs, clock, notify: () => undefined });
    const failed = expect(get(call)).rejects.toMatchObject({
      code: "unavailable",
      cause: { reason: "DEADLINE_EXCEEDED" },
    });
    await settle();
    clock.pass(timeoutMs);
    await failed;
    expect(requests).toBe(1);
  });

  it("is called again without a longer back-off when the clock is set back", async () => {
    const { obtain, pass } = controlledProvider();
    await expect(obtain(no)).rejects.toMatchObject(unavailable);
    pass(-3_600);
    expect(await obtain("token-1")).toBe("token-1");
  });

  it("may return the expiry of a token as a string", async () => {
    const { get, obtain, lasting, pass } = controlledProvider();
    await obtain({ accessToken: "token-1", expiresAt: lasting("", 60).expiresAt.toJSON() });
    pass(29);
    expect(await get()).toBe("token-1");
    pass(1);
    expect(await obtain("token-2")).toBe("token-2");
  });

  it.each([
    { what: "an invalid date", expiresAt: new Date(Number.NaN) },
    { what: "seconds instead of milliseconds", expiresAt: new Date(1_900_000_000) },
    { what: "seconds as text", expiresAt: "1900000000" },
  ])("rejects an expiry that is $what", async ({ expiresAt }) => {
    const { obtain } = controlledProvider();
    await expect(obtain({ accessToken: "token-1", expiresAt })).rejects.toMatchObject({
      reason: "TOKEN_UNAVAILABLE",
      cause: new RangeError("expiresAt must be a Date or an ISO 8601 string, not seconds"),
    });
  });
});
