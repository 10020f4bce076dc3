import { once } from "node:events";
import { connect, Server } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { rejection } from "../../src/fixtures/rejection.js";
import { createDeviceSession } from "../../src/session/index.js";
import {
  type BrowserLoginPrompt,
  createBrowserSession,
  type SessionOptions,
} from "../../src/session-loopback/index.js";
import { createFakeClock } from "../../src/testing/fake-clock.js";
import { api, rejectedBeforePrompt, sessionOptions } from "../fixtures/session.js";

async function setUp(options: Partial<SessionOptions> = {}) {
  const fixture = await sessionOptions(options);
  const session = createBrowserSession(fixture.all);
  /** The page of each response that the browser brought, and its address. */
  const pages: { readonly response: Response; readonly url: URL; readonly text: string }[] = [];
  /** The browser of the person: follows the redirect. */
  const open = async ({ authorizationUri }: BrowserLoginPrompt) => {
    const { headers } = await fetch(authorizationUri, { redirect: "manual" });
    const url = new URL(headers.get("Location") ?? expect.unreachable("no redirect"));
    const response = await fetch(url);
    pages.push({ response, url, text: await response.text() });
  };
  const logIn = () => session.logIn({ onPrompt: (prompt) => void open(prompt) });
  return { ...fixture, session, logIn, open, pages };
}

/** Returns whether a port of this machine accepts connections. */
function isOpen(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    onTestFinished(() => void socket.destroy());
  });
}

/** Returns the redirect URI of a started login. */
function redirectOf(state: Awaited<ReturnType<typeof setUp>>["state"], path = "/par"): URL {
  const { form } = state.requests.find((request) => request.path === path) ?? expect.unreachable("not requested");
  return new URL(form.redirect_uri ?? "");
}

describe("logIn", () => {
  it("RFC 6749 section 4.1: gets a code in the browser, exchanges it, and stores the session", async () => {
    const { session, logIn, state, store, events, pages } = await setUp({ scopes: ["vault.items:delete"] });
    await logIn();
    expect(state.requests.map(({ path }) => path)).toEqual(["/par", "/authorize", "/token"]);
    expect(state.requests[0]?.form).toMatchObject({
      client_id: "cli",
      response_type: "code",
      code_challenge_method: "S256",
      scope: "vault.items:delete offline_access",
      resource: api,
    });
    expect(state.requests[2]?.form.resource).toBe(api);
    expect(await store.load()).toMatchObject({ refreshToken: state.refreshToken, clientId: "cli", resource: api });
    expect(await session.scopes()).toEqual(["vault.items:delete"]);
    expect(events).toEqual([{ kind: "signed in", scopes: ["vault.items:delete"] }]);
    await expect.poll(() => pages).toHaveLength(1);
  });

  it("RFC 9396: asks for the limits of the option bounds with the request of the code", async () => {
    const { logIn, state } = await setUp({ bounds: { vaults: ["v-1"], maxDeletions: 25 } });
    await logIn();
    const { authorization_details: sent = "" } = state.requests[0]?.form ?? expect.unreachable();
    expect(JSON.parse(sent)).toEqual([{ type: "vault", vaults: ["v-1"], max_deletions: 25 }]);
  });

  it("RFC 8252 section 7.3: listens on the loopback address only, and no longer than the login", async () => {
    const { logIn, state } = await setUp();
    const listen = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => listen.mockRestore());
    await logIn();
    expect(listen.mock.calls).toEqual([[0, "127.0.0.1", expect.any(Function)]]);
    const redirect = redirectOf(state);
    expect(redirect.href).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+\/callback$/);
    expect(await isOpen(redirect)).toBe(false);
  });

  it("ends connections that the browser has opened in advance", async () => {
    const { session, open, state } = await setUp();
    let ended: Promise<unknown> | undefined;
    await session.logIn({
      onPrompt: async (prompt) => {
        const { port, hostname } = redirectOf(state);
        const socket = connect(Number(port), hostname).on("error", () => {});
        ended = once(socket, "close");
        await once(socket, "connect");
        await open(prompt);
      },
    });
    expect(await ended).toBeDefined();
  });

  it("leaves no timer, which would keep the program running", async () => {
    const clock = createFakeClock();
    const timers = new Set<() => void>();
    const after = (ms: number, run: () => void) => {
      const cancel = clock.after(ms, run);
      timers.add(cancel);
      return () => {
        timers.delete(cancel);
        cancel();
      };
    };
    const { logIn } = await setUp({ clock: { ...clock, after } });
    await logIn();
    expect(timers.size).toBe(0);
  });

  it("shows a page in plain words that no cache, frame or Referer gets, and that repeats nothing", async () => {
    const { logIn, pages, state } = await setUp();
    state.response = { error: "access_denied", error_description: "<script>canary</script>", code: undefined };
    await rejection(logIn());
    await expect.poll(() => pages).toHaveLength(1);
    const [{ response, text } = expect.unreachable()] = pages;
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(text).toContain("You can close this page");
    expect(text).not.toContain("canary");
  });

  it("RFC 9126: the page's address contains a reference to the request, and nothing else", async () => {
    const { session, open, state, clock } = await setUp();
    const prompts: BrowserLoginPrompt[] = [];
    const startedAt = clock.now();
    await session.logIn({
      onPrompt: (prompt) => {
        prompts.push(prompt);
        void open(prompt);
      },
    });
    expect(prompts).toHaveLength(1);
    const [{ authorizationUri, expiresAt } = expect.unreachable()] = prompts;
    expect(expiresAt.getTime() - startedAt).toBe(60_000);
    expect([...new URL(authorizationUri).searchParams.keys()]).toEqual(["client_id", "request_uri"]);
    expect(state.requests[1]?.form.client_id).toBe("cli");
  });

  it("RFC 9449 section 10.1: proves the key of the session when it sends the request ahead", async () => {
    const { logIn, state, store } = await setUp();
    await logIn();
    const { privateKey } = (await store.load())?.keyPair ?? expect.unreachable();
    expect(privateKey.extractable).toBe(false);
    const [pushed, , redeemed] = state.requests;
    expect(pushed?.proof).toMatchObject({ htm: "POST", thumbprint: pushed?.form.dpop_jkt });
    expect(redeemed?.proof?.thumbprint).toBe(pushed?.form.dpop_jkt);
  });

  it("RFC 9449 section 8: sends the nonce that the server asks for", async () => {
    const { logIn, state } = await setUp();
    state.nonce = "nonce-1";
    await logIn();
    expect(state.requests.map(({ path, proof }) => [path, proof?.nonce])).toEqual([
      ["/par", undefined],
      ["/par", "nonce-1"],
      ["/authorize", undefined],
      ["/token", undefined],
      ["/token", "nonce-1"],
    ]);
  });

  it("RFC 9449 section 10: without pushed requests, the page's address binds the code to the key", async () => {
    const { session, open, state, clock, store } = await setUp();
    state.metadata = { pushed_authorization_request_endpoint: undefined };
    const startedAt = clock.now();
    await session.logIn({
      onPrompt: (prompt) => {
        expect(prompt.expiresAt.getTime() - startedAt).toBe(600_000);
        void open(prompt);
      },
    });
    const [page, redeemed] = state.requests;
    expect(page?.form).toMatchObject({ response_type: "code", code_challenge_method: "S256", resource: api });
    expect(page?.form.dpop_jkt).toBe(redeemed?.proof?.thumbprint);
    expect(JSON.stringify(page?.form)).not.toContain(redeemed?.form.code_verifier);
    expect(await store.load()).toMatchObject({ refreshToken: state.refreshToken });
  });

  it("RFC 8252 section 8.6: asks for a decision also if the person has approved before", async () => {
    const { logIn, state } = await setUp();
    await logIn();
    expect(state.requests[0]?.form.prompt).toBe("consent");
  });

  it("each login has its own state and verifier", async () => {
    const { logIn, state } = await setUp();
    await logIn();
    await logIn();
    const [first, , one, second, , two] = state.requests;
    expect(first?.form.state).not.toBe(second?.form.state);
    expect(one?.form.code_verifier).not.toBe(two?.form.code_verifier);
  });

  it.each([
    ["lists", ["vault.items:delete", "offline_access"], "vault.items:delete offline_access"],
    ["does not list", ["vault.items:delete"], "vault.items:delete"],
  ])("asks for a refresh token by scope from a server that %s that scope", async (_, scopes_supported, scope) => {
    const { session, logIn, state } = await setUp({ scopes: ["vault.items:delete"] });
    state.metadata = { scopes_supported };
    state.tokens = { scope };
    await logIn();
    expect(state.requests[0]?.form.scope).toBe(scope);
    expect(await session.scopes()).toEqual(["vault.items:delete"]);
  });

  it("ends if the server gives no refresh token", async () => {
    const { logIn, state, store, origin } = await setUp();
    state.tokens = { refresh_token: undefined };
    const thrown = await rejection(logIn());
    expect(thrown).toMatchObject({ reason: "UNAUTHENTICATED" });
    expect(thrown.message).toContain(`${new URL(origin).host} gave no refresh token`);
    expect(await store.load()).toBeUndefined();
  });
});

describe("a login that nobody approves", () => {
  it.each([
    ["access_denied", "ACCESS_DENIED", false],
    ["invalid_scope", "UNAUTHENTICATED", false],
    ["a b", "UNAUTHENTICATED", false],
    ["server_error", "NETWORK_ERROR", true],
  ])("RFC 6749 section 4.1.2.1: ends with the error %s as %s", async (error, reason, retryable) => {
    const { logIn, state, store } = await setUp();
    state.response = { error, error_description: "canary", code: undefined };
    const thrown = await rejection(logIn());
    expect(thrown).toMatchObject({ reason, retryable });
    if (error === "invalid_scope") expect(thrown.message).toContain("Set the option scopes to those that it may have");
    expect(thrown.message).not.toContain("canary");
    expect(state.requests.map(({ path }) => path)).toEqual(["/par", "/authorize"]);
    expect(await store.load()).toBeUndefined();
  });

  it("ends after 10 minutes, and closes the port", async () => {
    const { session, clock, state } = await setUp();
    const login = rejection(session.logIn({ onPrompt: () => setImmediate(() => clock.pass(600_000)) }));
    const thrown = await login;
    expect(thrown).toMatchObject({ reason: "EXPIRED_TOKEN", retryable: false });
    expect(thrown.message).toContain("Nobody approved in the browser within 10 minutes. Log in again.");
    expect(await isOpen(redirectOf(state))).toBe(false);
  });

  it.each([
    ["while it shows the page", (abort: () => void) => abort()],
    ["later", (abort: () => void) => void setImmediate(abort)],
  ])("ends with CANCELED by its signal, aborted %s, and closes the port", async (_, when) => {
    const { session, state } = await setUp();
    const controller = new AbortController();
    const login = session.logIn({ signal: controller.signal, onPrompt: () => when(() => controller.abort()) });
    expect(await rejection(login)).toMatchObject({ reason: "CANCELED" });
    await expect.poll(() => isOpen(redirectOf(state))).toBe(false);
  });

  it("shows no page if the signal is aborted before", async () => {
    const controller = new AbortController();
    const { session, state } = await setUp({
      fetch: async (...request) => {
        const response = await fetch(...request);
        controller.abort();
        return response;
      },
    });
    state.metadata = { pushed_authorization_request_endpoint: undefined };
    const listen = vi.spyOn(Server.prototype, "listen");
    const close = vi.spyOn(Server.prototype, "close");
    onTestFinished(() => void vi.restoreAllMocks());
    const onPrompt = vi.fn();
    expect(await rejection(session.logIn({ signal: controller.signal, onPrompt }))).toMatchObject({
      reason: "CANCELED",
    });
    await expect.poll(() => close.mock.calls).toHaveLength(1);
    expect(listen).toHaveBeenCalledTimes(1);
    expect(onPrompt).not.toHaveBeenCalled();
  });

  it("closes the port if the page cannot be shown", async () => {
    const { session, state } = await setUp();
    const onPrompt = () => {
      throw new RangeError("no terminal");
    };
    await expect(session.logIn({ onPrompt })).rejects.toThrow("no terminal");
    expect(await isOpen(redirectOf(state))).toBe(false);
  });
});

describe("a response that is not the expected one", () => {
  it.each([
    ["another state", (url: URL) => url.searchParams.set("state", "other"), {}],
    ["two states", (url: URL) => url.searchParams.append("state", "other"), {}],
    ["another path", (url: URL) => Object.assign(url, { pathname: "/other" }), {}],
    ["another method", () => undefined, { method: "POST" }],
  ])("RFC 6749 section 10.12: with %s gets 404, and the login waits for the right one", async (_, change, init) => {
    const { session, state, store } = await setUp();
    const statuses: number[] = [];
    await session.logIn({
      onPrompt: async ({ authorizationUri }) => {
        const { headers } = await fetch(authorizationUri, { redirect: "manual" });
        const right = new URL(headers.get("Location") ?? "");
        const wrong = new URL(right);
        change(wrong);
        for (const [url, options] of [[wrong, init], [right]] as const)
          statuses.push((await fetch(url, options)).status);
      },
    });
    await expect.poll(() => statuses).toEqual([404, 200]);
    expect(await store.load()).toMatchObject({ refreshToken: state.refreshToken });
  });

  it.each([
    ["another issuer", { iss: "https://evil.example" }],
    ["no issuer", { iss: undefined }],
    ["a token", { access_token: "canary", token: "canary", code: undefined }],
  ])("RFC 9207: with %s ends the login, and the code is sent nowhere", async (_, response) => {
    const { logIn, state, store } = await setUp();
    state.response = response;
    const thrown = await rejection(logIn());
    expect(thrown).toMatchObject({ retryable: false });
    expect(inspect(thrown, { depth: null, showHidden: true })).not.toMatch(/canary|code-[0-9a-f]{8}-|evil/);
    expect(state.requests.map(({ path }) => path)).toEqual(["/par", "/authorize"]);
    expect(await store.load()).toBeUndefined();
  });
});

describe("the redemption of a code", () => {
  it("DECISIONS section 9: is repeated after a lost answer, with the same code and key", async () => {
    const { logIn, state, clock, store } = await setUp();
    state.lost = 2;
    await logIn();
    const redeemed = state.requests.filter(({ path }) => path === "/token");
    expect(redeemed).toHaveLength(3);
    expect(new Set(redeemed.map(({ form }) => form.code)).size).toBe(1);
    expect(new Set(redeemed.map(({ proof }) => proof?.thumbprint)).size).toBe(1);
    expect(clock.slept).toEqual([1_000, 4_000]);
    expect(await store.load()).toMatchObject({ refreshToken: state.refreshToken });
  });

  it("ends as NETWORK_ERROR when every answer is lost", async () => {
    const { logIn, state } = await setUp();
    state.lost = 10;
    expect(await rejection(logIn())).toMatchObject({ reason: "NETWORK_ERROR" });
    expect(state.requests.filter(({ path }) => path === "/token")).toHaveLength(4);
  });

  it.each([
    ["invalid_grant", "EXPIRED_TOKEN"],
    ["invalid_client", "UNAUTHENTICATED"],
  ])("RFC 6749 section 5.2: ends with the answer %s as %s, and is not repeated", async (error, reason) => {
    const { logIn, state, store } = await setUp();
    state.errors = [error];
    const thrown = await rejection(logIn());
    expect(thrown).toMatchObject({ reason, retryable: false });
    expect(thrown.message).not.toMatch(/canary|code-/);
    expect(state.requests.filter(({ path }) => path === "/token")).toHaveLength(1);
    expect(await store.load()).toBeUndefined();
  });
});

describe("the person is not asked", () => {
  it.each([
    ["offers no code flow", { response_types_supported: [] }],
    ["does not say that it has PKCE", { code_challenge_methods_supported: undefined }],
    ["has no page", { authorization_endpoint: undefined }],
  ])("RFC 8414: if the server %s; the error says what to use instead", async (_, metadata) => {
    const { session, state, origin } = await setUp();
    state.metadata = metadata;
    const thrown = await rejectedBeforePrompt(session);
    expect(thrown).toMatchObject({ code: "unimplemented", retryable: false });
    expect(thrown.message).toContain(`${new URL(origin).host} offers no login with an authorization code and PKCE.`);
    expect(state.requests).toEqual([]);
  });

  it("if the page is not an https URL: the metadata is untrusted input", async () => {
    const { session, state } = await setUp();
    state.metadata = { authorization_endpoint: "http://accounts.example/authorize" };
    const thrown = await rejectedBeforePrompt(session);
    expect(thrown.reason).toBe("MALFORMED_RESPONSE");
    expect(thrown.message).toContain("names a page for the approval that is not an https URL. Do not open it.");
    expect(state.requests).toEqual([]);
  });

  it.each([
    ["invalid_target", "UNAUTHENTICATED", 400],
    ["temporarily_unavailable", "NETWORK_ERROR", 429],
  ])("RFC 9126 section 2.3: if the server answers %s to the pushed request", async (error, reason, status) => {
    const { session, state } = await setUp();
    Object.assign(state, { start: error, status });
    expect(await rejectedBeforePrompt(session)).toMatchObject({ reason });
    expect(await isOpen(redirectOf(state))).toBe(false);
  });

  it("if no port can be opened; the error says what to use instead", async () => {
    const { session, state } = await setUp();
    const listen = vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server) {
      setImmediate(() => this.emit("error", Object.assign(new Error("canary"), { code: "EPERM" })));
      return this;
    });
    onTestFinished(() => listen.mockRestore());
    const thrown = await rejectedBeforePrompt(session);
    expect(thrown).toMatchObject({ code: "unimplemented", retryable: false });
    expect(thrown.message).toContain("This program cannot listen on 127.0.0.1 (EPERM). Use createDeviceSession.");
    expect(state.requests).toEqual([]);
  });

  it("RFC 9126 section 2.3: if the client is not registered for this flow; the error says what to do", async () => {
    const { session, state } = await setUp();
    state.start = "unauthorized_client";
    const thrown = await rejectedBeforePrompt(session);
    expect(thrown).toMatchObject({ code: "unimplemented", retryable: false });
    expect(thrown.message).toContain("login of the OAuth client cli (unauthorized_client). Ask an administrator");
  });
});

describe("the session", () => {
  it("is the same for both logins: either continues what the other has stored", async () => {
    const { session, logIn, all } = await setUp();
    const device = createDeviceSession(all);
    await logIn();
    expect((await device.token()).accessToken.reveal()).toBe((await session.token()).accessToken.reveal());
    await device.logIn({ onPrompt: () => undefined });
    const again = createBrowserSession(all);
    expect((await again.token()).accessToken.reveal()).toBe((await device.token()).accessToken.reveal());
  });
});
