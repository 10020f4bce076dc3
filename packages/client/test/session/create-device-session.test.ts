import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { rejection } from "../../src/fixtures/rejection.js";
import { createPlatformClient } from "../../src/json/index.js";
import { createDeviceSession, createMemorySessionStore, type SessionOptions } from "../../src/session/index.js";
import { tokenLife } from "../fixtures/authorization-server.js";
import { api, rejectedBeforePrompt, sessionOptions } from "../fixtures/session.js";

async function setUp(options: Partial<SessionOptions> = {}) {
  const fixture = await sessionOptions(options);
  const session = createDeviceSession(fixture.all);
  return { ...fixture, session, logIn: () => session.logIn({ onPrompt: () => undefined }) };
}

describe("logIn", () => {
  it("RFC 8628: shows the code, polls until the person approves, and stores the session", async () => {
    const { session, state, store, events, clock } = await setUp({ scopes: ["vault.items:delete", "other"] });
    state.errors = ["authorization_pending", "slow_down"];
    const startedAt = clock.now();
    const prompts: unknown[] = [];
    await session.logIn({ onPrompt: (prompt) => prompts.push(prompt) });
    expect(prompts).toEqual([
      {
        userCode: "WDJB-MJHT",
        verificationUri: "http://accounts.localhost:8082/device",
        verificationUriComplete: "http://accounts.localhost:8082/device?user_code=WDJB-MJHT",
        expiresAt: new Date(startedAt + 600_000),
      },
    ]);
    expect(clock.now() - startedAt).toBe(5_250 + 5_250 + 10_250);
    expect(state.requests[0]).toMatchObject({
      path: "/device",
      form: { client_id: "cli", scope: "vault.items:delete other" },
    });
    expect(await store.load()).toMatchObject({
      refreshToken: state.refreshToken,
      scopes: ["vault.items:delete"],
      clientId: "cli",
    });
    expect(await session.scopes()).toEqual(["vault.items:delete"]);
    expect(events).toEqual([{ kind: "signed in", scopes: ["vault.items:delete"] }]);
  });

  it("creates a key that can be exported only for a store that writes it as text", async () => {
    const store = { ...createMemorySessionStore(), needsExportableKeys: true };
    await (await setUp({ store })).logIn();
    expect((await store.load())?.keyPair.privateKey.extractable).toBe(true);
  });

  it("RFC 9449: binds the session to a key that nobody can export, and proves it", async () => {
    const { logIn, store, state } = await setUp();
    await logIn();
    const { privateKey, publicKey } = (await store.load())?.keyPair ?? expect.unreachable();
    expect(privateKey.extractable).toBe(false);
    const { crv, kty, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
    const thumbprint = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
    expect(state.requests[0]?.form.dpop_jkt).toBe(thumbprint);
    expect(state.requests[1]).toMatchObject({ path: "/token", proof: { htm: "POST" } });
  });

  it("dpop: false binds neither the login nor its renewals to a key", async () => {
    const { logIn, session, state, clock } = await setUp({ dpop: false });
    await logIn();
    const { accessToken } = await session.token();
    clock.pass(tokenLife * 1000);
    expect((await session.token()).accessToken.reveal()).not.toBe(accessToken.reveal());
    expect(state.requests.map(({ path }) => path)).toEqual(["/device", "/token", "/token"]);
    for (const { form, proof } of state.requests) expect([form.dpop_jkt, proof]).toEqual([undefined, undefined]);
  });

  it.each([
    ["access_denied", "ACCESS_DENIED"],
    ["expired_token", "EXPIRED_TOKEN"],
    ["a b", "UNAUTHENTICATED"],
  ])("ends with the answer %s as %s", async (error, reason) => {
    const { logIn, state, store } = await setUp();
    state.errors = [error];
    const thrown = await rejection(logIn());
    expect(thrown).toMatchObject({ reason, retryable: false });
    expect(thrown.message).not.toMatch(/canary|device-code/);
    expect(await store.load()).toBeUndefined();
  });

  it("RFC 9449 section 11.1: asks to check the clock when the proof was rejected", async () => {
    const { logIn, state, origin } = await setUp();
    state.errors = ["invalid_dpop_proof"];
    const thrown = await rejection(logIn());
    // Not below the resource: tokens may be for something else than the API.
    const docsUrl = `${origin}/docs/errors/UNAUTHENTICATED`;
    expect(thrown).toMatchObject({ reason: "UNAUTHENTICATED", docsUrl });
    expect(thrown.message).toContain("Check that this machine's clock is right.");
  });

  it.each([
    [600, /^This machine's clock is (59\d|600) s behind that of localhost\. Proofs /, undefined],
    [-600, /^This machine's clock is 60\d s ahead of that of localhost\. Proofs /, "nonce-1"],
    [86_000, /^This machine's clock is (859\d\d|86000) s behind that of localhost\. Proofs /, undefined],
  ])("signs proofs with the server's time when it is %d s ahead, and warns once", async (ahead, shown, nonce) => {
    const logger = { warn: vi.fn() };
    const { all, logIn, session, state, origin, clock } = await setUp({ logger });
    Object.assign(state, { ahead, nonce });
    await logIn();
    await session.token({ reason: "rejected" });
    const text = logger.warn.mock.calls.join().replace(new URL(origin).host, "localhost");
    expect(text).toMatch(shown);
    expect(logger.warn).toHaveBeenCalledTimes(1);
    // Another run of the program learns it from the answer to its first proof. Its times stay those of this machine.
    const again = createDeviceSession(all);
    const { expiresAt } = await again.token({ reason: "rejected" });
    expect(expiresAt.getTime() - clock.now()).toBe(tokenLife * 1000);
    expect(logger.warn).toHaveBeenCalledTimes(2);
    // A clock that was set is noticed.
    state.ahead = 0;
    await again.token({ reason: "rejected" });
    expect(Math.abs((state.requests.at(-1)?.proof?.iat ?? 0) * 1000 - Date.now())).toBeLessThan(60_000);
  });

  it.each([30, 86_460])("keeps the time of this machine when the server's is %d s ahead", async (ahead) => {
    const logger = { warn: vi.fn() };
    const { logIn, state } = await setUp({ logger });
    state.ahead = ahead;
    await logIn().catch(() => undefined);
    expect(Math.abs((state.requests.at(-1)?.proof?.iat ?? 0) * 1000 - Date.now())).toBeLessThan(29_000);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("continues while the server cannot be reached, and ends with CANCELED by its signal", async () => {
    const { session, state } = await setUp();
    const controller = new AbortController();
    const statuses: string[] = [];
    const login = session.logIn({
      signal: controller.signal,
      onPrompt: () => {
        state.down = true;
      },
      onStatus: ({ status }) => {
        statuses.push(status);
        if (statuses.length === 3) controller.abort();
      },
    });
    expect(await rejection(login)).toMatchObject({ reason: "CANCELED" });
    expect(statuses).toEqual(["unavailable", "unavailable", "unavailable"]);
  });

  it.each([
    ["a server that is not an authorization server", (origin: string) => `${origin}/other`, "MALFORMED_RESPONSE"],
    ["a server that does not exist", () => "http://localhost:1", "NETWORK_ERROR"],
  ])("reports %s", async (_, issuerOf, reason) => {
    const { all, origin } = await setUp();
    const session = createDeviceSession({ ...all, issuer: issuerOf(origin) });
    // The address may be wrong, and then it has no page either.
    const docsUrl = undefined;
    expect(await rejection(session.logIn({ onPrompt: () => undefined }))).toMatchObject({ reason, docsUrl });
  });

  it("RFC 9110 section 15.5.20: says that the server has another name when it answers 421", async () => {
    const { all } = await setUp();
    const session = createDeviceSession({ ...all, fetch: async () => new Response("Wrong host.", { status: 421 }) });
    const { message } = await rejection(session.logIn({ onPrompt: () => undefined }));
    expect(message).toContain("is not the name of the authorization server (status 421). Use the issuer exactly");
    expect(message).toContain("and log in again.");
  });

  it("names the target of a redirect, without its query", async () => {
    const { all } = await setUp();
    const headers = { Location: "https://new.example/login?canary" };
    const session = createDeviceSession({ ...all, fetch: async () => new Response("", { status: 302, headers }) });
    const { message } = await rejection(session.logIn({ onPrompt: () => undefined }));
    expect(message).toContain("it redirects to https://new.example/login, and the session does not follow.");
  });

  it("a client whose session has no login says so", async () => {
    const { all } = await setUp();
    const client = createPlatformClient({ baseUrl: api, token: createDeviceSession(all).token });
    const { message } = await rejection(client.vault.deleteItem({ vaultId: "v-1", itemId: "i-1", baseVersion: 1 }));
    expect(message).toContain(
      "TOKEN_UNAVAILABLE: Not sent: no valid token (UNAUTHENTICATED: There is no session. Log in first). Check",
    );
  });
});

describe("RFC 9396: the option bounds", () => {
  it("asks with the device code for its limits", async () => {
    const expiresAt = new Date("2026-11-27T18:00:00.999Z");
    const bounds = { actions: ["read", "use"], maxDeletions: 0, maxUses: 5, hosts: ["a.example"], expiresAt } as const;
    const { logIn, state, session } = await setUp({ bounds });
    await logIn();
    expect(JSON.parse(state.requests[0]?.form.authorization_details ?? "")).toEqual([
      {
        type: "vault",
        actions: ["read", "use"],
        max_deletions: 0,
        max_uses: 5,
        hosts: ["a.example"],
        expires_at: 1_795_802_400,
      },
    ]);
    // All tokens of the approval have its limits.
    await session.token({ reason: "rejected" });
    expect(state.requests.slice(1).map(({ form }) => form.authorization_details)).toEqual([undefined, undefined]);
  });

  it("asks for no limits without it", async () => {
    const { logIn, state } = await setUp();
    state.metadata = { authorization_details_types_supported: undefined };
    await logIn();
    expect(state.requests[0]?.form).not.toHaveProperty("authorization_details");
  });

  it.each([[undefined], [["payment"]]])(
    "asks nobody if the server knows no limits (%j): it would ignore them",
    async (types) => {
      const { session, state } = await setUp({ bounds: { maxDeletions: 1 } });
      state.metadata = { authorization_details_types_supported: types };
      const thrown = await rejectedBeforePrompt(session);
      expect(thrown).toMatchObject({ code: "unimplemented", retryable: false });
      expect(thrown.message).toContain(
        "cannot limit an approval, and would allow more than the option bounds asks for.",
      );
      expect(state.requests).toEqual([]);
    },
  );

  it("says that the server does not accept the limits", async () => {
    const { logIn, state, origin } = await setUp({ bounds: { expiresAt: new Date(0) } });
    state.start = "invalid_authorization_details";
    const { message } = await rejection(logIn());
    expect(message).toContain(`${new URL(origin).host} does not accept these limits (invalid_authorization_details).`);
  });
});

describe("DECISIONS section 9: a token is for the API that the program names", () => {
  it("RFC 8707: every request for a code or for tokens names it", async () => {
    const { logIn, session, state } = await setUp();
    await logIn();
    await session.token({ reason: "rejected" });
    expect(state.requests.map(({ path, form }) => [path, form.grant_type, form.resource])).toEqual([
      ["/device", undefined, api],
      ["/token", "urn:ietf:params:oauth:grant-type:device_code", api],
      ["/token", "refresh_token", api],
    ]);
  });

  it("RFC 8707 section 2: a server that issues no tokens for it ends the login before a code is shown", async () => {
    const { session, state, store, origin } = await setUp();
    state.start = "invalid_target";
    const thrown = await rejectedBeforePrompt(session);
    expect(thrown.reason).toBe("UNAUTHENTICATED");
    expect(thrown.message).toContain(`${new URL(origin).host} issues no tokens for ${api} (invalid_target).`);
    expect(await store.load()).toBeUndefined();
  });
});

describe("the response to a started login is untrusted input", () => {
  it.each([
    ["http:", { verification_uri: "http://accounts.example/device" }],
    ["another scheme", { verification_uri: "javascript:alert(1)" }],
    ["credentials", { verification_uri: "https://accounts.example@evil.example/device" }],
    ["http: with the code filled in", { verification_uri_complete: "http://accounts.example/device?user_code=A" }],
    ["a name that begins like this machine's", { verification_uri: "http://127.0.0.1.example/device" }],
    ["a name that contains one of this machine", { verification_uri: "http://accounts.localhost.example/device" }],
  ])("RFC 8628 section 3.2: a page with %s is not shown", async (_, started) => {
    const { session, state, origin } = await setUp();
    state.started = started;
    const thrown = await rejectedBeforePrompt(session);
    expect(thrown.reason).toBe("MALFORMED_RESPONSE");
    expect(thrown.message).toContain(`${new URL(origin).host} sent a page for the approval that is not an https URL.`);
    expect(state.requests.map(({ path }) => path)).toEqual(["/device"]);
  });

  it("controls and marks of direction are escaped in what a person sees", async () => {
    const { session, state } = await setUp();
    state.started = {
      user_code: "WDJB\u001b[2J\u202e\n\u061c",
      verification_uri: "https://accounts.example/\u202ede\u0007vice",
    };
    state.tokens = { scope: "vault.items:read\u2066 b\u009b" };
    const onPrompt = vi.fn();
    await session.logIn({ onPrompt });
    const userCode = "WDJB\\u001b[2J\\u202e\\u000a\\u061c";
    const verificationUri = "https://accounts.example/%E2%80%AEde%07vice";
    expect(onPrompt).toHaveBeenCalledWith(expect.objectContaining({ userCode, verificationUri }));
    expect(await session.scopes()).toEqual(["vault.items:read\\u2066", "b\\u009b"]);
  });

  it("more than 1 MiB is not read to its end", async () => {
    const { session, state } = await setUp();
    state.started = { user_code: "x".repeat(2 ** 20) };
    expect(await rejectedBeforePrompt(session)).toMatchObject({ reason: "MALFORMED_RESPONSE" });
  });

  it("times that no date can have are cut to a day", async () => {
    const { session, state, store, clock } = await setUp();
    state.started = { expires_in: 1e300, interval: 1e300 };
    state.tokens = { expires_in: 1e300 };
    const startedAt = clock.now();
    const onPrompt = vi.fn();
    await session.logIn({ onPrompt });
    expect(onPrompt).toHaveBeenCalledWith(expect.objectContaining({ expiresAt: new Date(startedAt + 86_400_000) }));
    expect((await store.load())?.expiresAt).toBe(new Date(clock.now() + 86_400_000).toISOString());
  });
});

it("a server that does not answer within 30 seconds is reported, and does not block the next call", async () => {
  const { session, logIn } = await setUp();
  const timeout = vi.spyOn(AbortSignal, "timeout");
  onTestFinished(() => timeout.mockRestore());
  timeout.mockReturnValueOnce(AbortSignal.abort(new DOMException("", "TimeoutError")));
  expect(await rejection(logIn())).toMatchObject({
    reason: "NETWORK_ERROR",
    message: expect.stringContaining("(TimeoutError)"),
  });
  expect(timeout).toHaveBeenCalledWith(30_000);
  await logIn();
  expect(await session.scopes()).toBeDefined();
});

it.each([
  ["issuer", { issuer: "http://accounts.example" }],
  ["issuer", { issuer: "HTTP://accounts.example" }],
  ["issuer", { issuer: "http://127.0.0.1.example" }],
  ["issuer", { issuer: "http://accounts.localhost" }],
  ["issuer", { issuer: "https://ada:secret@accounts.example" }],
  ["issuer", { issuer: "https://accounts.example?secret" }],
  ["resource", { resource: "http://api.example" }],
  ["resource", { resource: "https://api.example/#v1" }],
  ["bounds\\.vaults", { bounds: { vaults: [] } }],
  ["bounds\\.vaults", { bounds: { vaults: Array.from({ length: 21 }, (_, n) => `v-${n}`) } }],
  ["bounds\\.actions", { bounds: { actions: ["shred"] } }],
  ["bounds\\.maxDeletions", { bounds: { maxDeletions: -1 } }],
  ["bounds\\.maxUses", { bounds: { maxUses: 0.5 } }],
  ["bounds\\.hosts", { bounds: { hosts: [] } }],
  ["bounds\\.expiresAt", { bounds: { expiresAt: "2026-11-27T18:00:00Z" } }],
  ["bounds\\.expiresAt", { bounds: { expiresAt: new Date(Number.NaN) } }],
  ["dpop", { dpop: "no" }],
  ["bounds\\.maxDeletion", { bounds: { maxDeletion: 1 } }],
])("rejects the option %s: %j", async (name, option) => {
  const { all } = await setUp();
  const create = () => createDeviceSession({ ...all, ...Object(option) });
  expect(create).toThrow(new RegExp(`^createDeviceSession: ${name} (must be|is not an option)`));
  expect(create).not.toThrow("secret");
});

describe("token", () => {
  it("is the same until two minutes before it expires, then renewed once for all callers", async () => {
    const { session, logIn, state, clock, kinds } = await setUp();
    await logIn();
    const first = await session.token();
    expect(first.expiresAt.getTime() - clock.now()).toBe(tokenLife * 1000);
    clock.pass(779_999);
    expect(await session.token({ reason: "expired" })).toBe(first);
    clock.pass(1);
    const before = state.requests.length;
    const renewed = await Promise.all(Array.from({ length: 20 }, () => session.token()));
    expect(state.requests.length - before).toBe(1);
    expect(new Set(renewed.map(({ accessToken }) => accessToken.reveal())).size).toBe(1);
    expect(renewed[0]?.accessToken.reveal()).not.toBe(first.accessToken.reveal());
    expect(kinds()).toEqual(["signed in", "renewed"]);
  });

  it("continues the stored session in another run of the program", async () => {
    const { session, logIn, all, state, clock } = await setUp();
    await logIn();
    const before = state.refreshToken;
    const again = createDeviceSession(all);
    const requests = state.requests.length;
    const [first, kept] = [await session.token(), await again.token()];
    expect([kept.accessToken.reveal(), kept.expiresAt]).toEqual([first.accessToken.reveal(), first.expiresAt]);
    expect(state.requests).toHaveLength(requests);
    clock.pass(tokenLife * 1000);
    await again.token();
    expect(state.requests.at(-1)?.form).toMatchObject({ grant_type: "refresh_token", refresh_token: before });
    expect(state.requests.at(-1)?.proof?.thumbprint).toBe(state.requests[0]?.form.dpop_jkt);
    expect((await all.store.load())?.refreshToken).toBe(state.refreshToken);
  });

  it("is the one that another process with the same store has renewed", async () => {
    const { session, logIn, all, state, clock } = await setUp();
    await logIn();
    const other = createDeviceSession(all);
    await other.token();
    clock.pass(tokenLife * 1000);
    const renewed = await session.token();
    const requests = state.requests.length;
    expect((await other.token()).accessToken.reveal()).toBe(renewed.accessToken.reveal());
    expect(state.requests).toHaveLength(requests);
  });

  it("is still renewed for the others when one caller aborts", async () => {
    const { session, logIn, kinds } = await setUp();
    await logIn();
    const controller = new AbortController();
    const aborted = rejection(session.token({ reason: "rejected", signal: controller.signal }));
    const other = session.token({ reason: "rejected" });
    controller.abort();
    expect(await aborted).toMatchObject({ reason: "CANCELED" });
    expect(await other).toHaveProperty("accessToken");
    expect(kinds()).toEqual(["signed in", "renewed"]);
  });

  it("is that of a new login, also if a renewal of the old session ends later", async () => {
    const { session, logIn, store, state } = await setUp();
    await logIn();
    const { save } = store;
    let saved = () => {};
    store.save = async (stored) => {
      store.save = save;
      await new Promise<void>((resolve) => {
        saved = resolve;
      });
      await save(stored);
    };
    const renewal = session.token({ reason: "rejected" });
    await expect.poll(() => store.save === save).toBe(true);
    const login = logIn();
    await expect.poll(() => state.requests.at(-1)?.form.grant_type).toContain("device_code");
    // Lets the login get its tokens.
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    saved();
    await Promise.all([renewal, login]);
    const stored = await store.load();
    expect(stored?.refreshToken).toBe(state.refreshToken);
    expect((await session.token()).accessToken.reveal()).toBe(stored?.accessToken);
  });

  it("is not returned before the new refresh token is stored", async () => {
    const { session, logIn, store } = await setUp();
    await logIn();
    store.save = () => Promise.reject(new RangeError("disk full"));
    await expect(session.token({ reason: "rejected" })).rejects.toThrow("disk full");
  });

  it("never sends a session of another issuer, API or OAuth client", async () => {
    const { logIn, all, state } = await setUp();
    await logIn();
    const requests = state.requests.length;
    for (const other of [
      { issuer: "https://other.example" },
      { resource: "https://other.example" },
      { clientId: "other" },
    ]) {
      expect(await rejection(createDeviceSession({ ...all, ...other }).token())).toMatchObject({
        reason: "UNAUTHENTICATED",
      });
    }
    expect(state.requests).toHaveLength(requests);
  });

  it("ends the session when the server says so, and asks to log in again", async () => {
    const { session, logIn, state, store, kinds, origin } = await setUp();
    await logIn();
    state.errors = ["invalid_grant"];
    expect(await rejection(session.token({ reason: "rejected" }))).toMatchObject({
      reason: "UNAUTHENTICATED",
      retryable: false,
      docsUrl: `${origin}/docs/errors/UNAUTHENTICATED`,
    });
    expect(await store.load()).toBeUndefined();
    expect(kinds()).toEqual(["signed in", "ended"]);
  });

  it.each([
    ["is down", 0, "NETWORK_ERROR"],
    ["fails", 503, "NETWORK_ERROR"],
    ["limits the rate", 429, "NETWORK_ERROR"],
    ["rejects the OAuth client", 401, "UNAUTHENTICATED"],
  ])("keeps the session when the server %s", async (_, status, reason) => {
    const { session, logIn, state, store } = await setUp();
    await logIn();
    const stored = await store.load();
    if (status === 0) state.down = true;
    else Object.assign(state, { status, errors: ["temporarily_unavailable"] });
    expect(await rejection(session.token({ reason: "rejected" }))).toMatchObject({
      reason,
      retryable: reason === "NETWORK_ERROR",
    });
    expect(await store.load()).toBe(stored);
  });
});

describe("signOut", () => {
  it("RFC 7009: revokes the session and removes it", async () => {
    const { session, logIn, state, store, kinds } = await setUp();
    await logIn();
    await session.signOut();
    expect(state.revoked).toEqual([state.refreshToken]);
    expect(await store.load()).toBeUndefined();
    expect(kinds()).toEqual(["signed in", "signed out"]);
    await session.signOut();
    expect(state.revoked).toHaveLength(1);
  });

  it("removes it also when the server cannot be reached, and says so", async () => {
    const { session, logIn, state, store } = await setUp();
    await logIn();
    state.down = true;
    expect(await rejection(session.signOut())).toMatchObject({ reason: "NETWORK_ERROR" });
    expect(await store.load()).toBeUndefined();
  });
});

it("no event and no printed session contains a token", async () => {
  const { session, logIn, events, state } = await setUp();
  await logIn();
  const printed = inspect([session, events, await session.token()], { depth: null, showHidden: true });
  expect(printed).not.toContain(state.refreshToken);
  expect(printed).not.toMatch(/access-[0-9a-f]/);
});
