import type { StartDeviceAuthorizationInput } from "@platform-rpc/server/host";
import { createGuessLimiter } from "@platform-rpc/server/host";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AccountsEnvironment } from "../http/environment.js";
import { ownCall } from "../http/own-call.js";
import type { Session } from "../people/session.js";
import { boundsForm } from "../testing/bounds-form.js";
import { inMemoryPlatform } from "../testing/in-memory-platform.js";
import { deviceRoutes } from "./device-routes.js";
import { type DeviceStart, deviceStarts } from "./device-start.js";

const deletes = "vault.items:delete";
const exchanges = "identity.device_authorizations:exchange";

/** Serves the pages of a platform with one OAuth client to one person. */
async function setUp({ guesses = false, remoteAddress = "192.0.2.7" } = {}) {
  const platform = await inMemoryPlatform({ guesses });
  onTestFinished(platform.close);
  const { own, operations, secrets, clock, pass } = platform;
  const call = ownCall("test", secrets);
  const tenantId = "acme";
  await own.setPrincipal({ tenantId, principalId: "ada", active: true }, call);
  const allowedOperations = [
    "platform.v1.VaultService/DeleteItem",
    "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  ];
  const client = { tenantId, oauthClientId: "agent", name: "<b>Agent</b>", allowedOperations, enabled: true };
  await own.setOauthClient(client, { ...call, actor: { ...call.actor, principalId: "admin" } });

  const ada: Session = {
    sessionId: "s-1",
    tenantId,
    principalId: "ada",
    displayName: "Ada",
    signedInAt: clock.now(),
    how: "passkey",
    endsAt: clock.now() + 60_000,
    address: "192.0.2.1",
    browser: "Firefox on Linux",
    grants: [],
  };
  const state: { session: Session | undefined } = { session: ada };
  const parts = {
    tenantId,
    origin: () => "https://accounts.example",
    apiUrl: () => "https://api.example",
    platform,
    operations,
    own,
    rateLimiter: undefined,
    guesses: guesses ? createGuessLimiter({ clock }) : undefined,
    signUp: false,
    addressHeader: undefined,
    clock,
    logger: { info() {}, error() {} },
    readiness: () => ({ status: 200, contentType: "", body: "" }),
    assets: new URL(import.meta.url),
  };
  const app = new Hono<AccountsEnvironment>();
  app.use(async (context, next) => {
    context.set("requestId", "r-1");
    context.set("session", state.session);
    await next();
  });
  app.route("/", deviceRoutes(parts));

  interface Start {
    readonly popPublicJwk?: string;
    readonly from?: Pick<DeviceStart, "address" | "name" | "renewable">;
  }
  const start = async ({ popPublicJwk = "", from }: Start = {}) => {
    const subject = { tenantId, oauthClientId: "agent" };
    const alsoCreated: StartDeviceAuthorizationInput["alsoCreated"] =
      from && (({ createdAt, ...started }) => deviceStarts.create({ ...subject, ...from, ...started }, createdAt));
    const input = { ...subject, scopes: [deletes, exchanges], popPublicJwk, ...(alsoCreated && { alsoCreated }) };
    const started = await own.startDeviceAuthorization(input, call);
    if (!started.ok) throw new Error(started.reason);
    return started;
  };
  const page = async (path: string, form?: Record<string, string | readonly string[]>, address = remoteAddress) => {
    const chosen: Record<string, string | readonly string[]> =
      path === "/device/decision" ? { person: "ada", ...boundsForm(clock.now()) } : {};
    const fields = Object.entries({ ...chosen, ...form }).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one]),
    );
    const init = form === undefined ? {} : { method: "POST", body: new URLSearchParams(fields) };
    const response = await app.request(path, init, { incoming: { socket: { remoteAddress: address } } });
    const text = await response.text();
    return {
      status: response.status,
      location: response.headers.get("location"),
      text,
      title: /<h1>(.*)<\/h1>/.exec(text)?.[1],
    };
  };
  const exchange = async (deviceCode: string) => {
    const actor = { ...call.actor, tenantId, principalId: "ada", oauthClientId: "agent" };
    const result = await own.exchangeDeviceCode({ deviceCode, idempotencyKey: undefined }, { ...call, actor });
    return result.ok ? result.status : result.reason;
  };
  return { ...parts, call, state, ada, pass, start, page, exchange };
}

describe("GET /device", () => {
  it("has one field for the code, which a person can use before they sign in", async () => {
    const { state, page } = await setUp();
    state.session = undefined;
    const { status, text } = await page("/device");
    expect(status).toBe(200);
    expect(text.match(/<input/g)).toHaveLength(1);
    expect(text).not.toContain("<script");
  });

  it("RFC 8628 section 3.3.1: a code in the URL fills the field only, and must be compared with the device", async () => {
    const { start, page, exchange } = await setUp();
    const { userCode, deviceCode } = await start();
    const { text } = await page(`/device?user_code=${userCode}`);
    expect(text).toContain(`value="${userCode}"`);
    expect(text).toContain("Check that the device shows the same code");
    expect(text).not.toContain("Approve");
    expect(await exchange(deviceCode)).toBe("authorization_pending");
  });

  it("shows nothing of a URL but the letters of a code", async () => {
    const { page } = await setUp();
    const { text } = await page(`/device?user_code=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(text).toContain('value="SCRI-PTAL"');
    expect(text).not.toContain("<script>alert");
  });
});

describe("the review of a code", () => {
  it("leads through sign-in back to the code", async () => {
    const { state, start, page } = await setUp();
    state.session = undefined;
    const { userCode } = await start();
    const next = encodeURIComponent(`/device?user_code=${userCode}`);
    expect(await page("/device", { user_code: userCode })).toMatchObject({
      status: 303,
      location: `/sign-in?next=${next}`,
    });
    const decision = { user_code: userCode, decision: "deny" };
    expect(await page("/device/decision", decision)).toMatchObject({
      status: 303,
      location: expect.stringContaining(`/sign-in?next=${next}`),
    });
  });

  it("RFC 8628 section 5.4: shows what the device calls itself", async () => {
    const { start, page, pass } = await setUp();
    const { userCode } = await start({ from: { address: "198.51.100.9", name: "ada-laptop", renewable: true } });
    pass(120_000);
    const { text } = await page("/device", { user_code: userCode });
    expect(text).toContain(
      "2 minutes ago</time> by a device that calls itself “<strong>ada-laptop</strong>”, <strong>on another network</strong>",
    );
  });

  it("RFC 8628 section 5.4: shows who asks, the code again, each scope in words, and when and from where it was started", async () => {
    const { start, page, pass } = await setUp();
    const { userCode } = await start({ from: { address: "198.51.100.9", renewable: true } });
    pass(120_000);
    const { status, text, title } = await page("/device", { user_code: userCode.toLowerCase().replace("-", " ") });
    expect(status).toBe(200);
    expect(title).toBe("&lt;b&gt;Agent&lt;/b&gt; wants to use your vault");
    for (const shown of [
      `<p class="shown-code">${userCode}</p>`,
      "At <code>api.example</code>, it may",
      "<dd><code>api.example</code>. If the device names another address, choose Deny.</dd>",
      "<code>agent</code>, registered by admin, since ",
      "Delete items <span",
      "Collect answers to its requests <span",
      `<dt>Scopes</dt><dd><code>${deletes} ${exchanges}</code></dd>`,
      "15 minutes, renewed without asking you until the time that you choose",
      "You can change this, or remove its access, on Agents &amp; apps.",
      "2 minutes ago</time> <strong>on another network</strong>: 198.51.100.9.",
      "None: anyone who has the tokens can use them",
      "If somebody sent you this code, choose Deny.",
    ]) {
      expect(text).toContain(shown);
    }
    expect(text.indexOf('value="deny"')).toBeLessThan(text.indexOf('value="approve"'));
  });

  it("shows the thumbprint of the key", async () => {
    const { start, page } = await setUp();
    const { publicKey } = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const { kty, crv, x } = await crypto.subtle.exportKey("jwk", publicKey);
    const { authorization, userCode } = await start({ popPublicJwk: JSON.stringify({ kty, crv, x }) });
    const { text } = await page("/device", { user_code: userCode });
    expect(text).toContain(`<code>${authorization.popKeyId}</code>`);
  });

  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["2001:db8::1", "2001:db8::2"],
  ])("shows that a request from %s came from the network of a browser at %s", async (address, remoteAddress) => {
    const { start, page } = await setUp({ remoteAddress });
    const { userCode } = await start({ from: { address, renewable: false } });
    const { text } = await page("/device", { user_code: userCode });
    expect(text).toContain("</time> on the network of this browser.");
    expect(text).toContain(`<dt>Network</dt><dd>${address}</dd>`);
    expect(text).toContain("<dd>15 minutes</dd>");
    expect(text).not.toContain('name="until"');
  });

  it.each(["", "AAAA-AAAA", "BBBB-BBBB", "x".repeat(1000)])(
    "rejects the code %j with the same words",
    async (typed) => {
      const { page } = await setUp();
      const { status, text } = await page("/device", { user_code: typed });
      expect(status).toBe(400);
      expect(text).toContain("This code is not valid. Compare it with the device.");
    },
  );

  it("DECISIONS section 7: rejects every code after five wrong ones", async () => {
    const { start, page } = await setUp({ guesses: true });
    const { userCode } = await start();
    for (let guess = 0; guess < 5; guess += 1) await page("/device", { user_code: "BBBB-BBBB" });
    const { status, text } = await page("/device", { user_code: userCode });
    expect(status).toBe(400);
    expect(text).toContain("This code is not valid.");
  });

  it("one network with many accounts cannot keep the others of its tenant from approving", async () => {
    const { start, page, state, ada, pass, own, call } = await setUp({ guesses: true });
    const { userCode } = await start();
    for (let account = 0; account < 12; account += 1) {
      const principalId = `mallory-${account}`;
      await own.setPrincipal({ tenantId: "acme", principalId, active: true }, call);
      state.session = { ...ada, principalId };
      for (let guess = 0; guess < 5; guess += 1) await page("/device", { user_code: "BBBB-BBBB" }, "198.51.100.1");
    }
    state.session = ada;
    expect((await page("/device", { user_code: userCode })).status).toBe(200);
    expect((await page("/device", { user_code: userCode }, "198.51.100.1")).status).toBe(400);
    pass(600_000);
    const { userCode: later } = await start();
    expect((await page("/device", { user_code: later }, "198.51.100.1")).status).toBe(200);
  });
});

describe("the decision", () => {
  it("approves, and the device gets its tokens", async () => {
    const { start, page, exchange } = await setUp();
    const { userCode, deviceCode } = await start();
    const approval = { user_code: userCode, decision: "approve", scope: [deletes, exchanges] };
    expect(await page("/device/decision", approval)).toMatchObject({ status: 200, title: "Approved" });
    expect(await exchange(deviceCode)).toBe("approved");
    expect(await page("/device", { user_code: userCode })).toMatchObject({
      title: "The code was used already",
      text: expect.stringContaining(`do not know on <a href="/console/agents">`),
    });
  });

  it("denies, also long after sign-in", async () => {
    const { start, page, exchange, pass } = await setUp();
    const { userCode, deviceCode } = await start();
    pass(6 * 60_000);
    const denial = { user_code: userCode, decision: "deny", scope: [deletes] };
    expect(await page("/device/decision", denial)).toMatchObject({ status: 200, title: "Denied" });
    expect(await exchange(deviceCode)).toBe("access_denied");
    expect(await page("/device", { user_code: userCode })).toMatchObject({ title: "Denied" });
  });

  it("that was shown to another person of the browser is shown again, and neither approves nor denies", async () => {
    const { start, page, exchange, state, ada, own, call } = await setUp();
    const { userCode, deviceCode } = await start();
    await own.setPrincipal({ tenantId: ada.tenantId, principalId: "bob", active: true }, call);
    state.session = { ...ada, principalId: "bob" };
    for (const decision of ["approve", "deny"]) {
      const { status, text } = await page("/device/decision", { user_code: userCode, decision, scope: [deletes] });
      expect([status, text]).toEqual([400, expect.stringContaining("Another person has signed in to this browser.")]);
      expect(text).toContain('name="person" value="bob"');
    }
    expect(await exchange(deviceCode)).toBe("authorization_pending");
  });

  it("asks who it is before it approves, five minutes after sign-in", async () => {
    const { start, page, exchange, pass } = await setUp();
    const { userCode, deviceCode } = await start();
    pass(5 * 60_000);
    const approval = { user_code: userCode, decision: "approve", scope: [deletes] };
    const { status, location } = await page("/device/decision", approval);
    expect([status, location]).toEqual([303, expect.stringContaining("/sign-in?again=&next=%2Fdevice")]);
    expect(await exchange(deviceCode)).toBe("authorization_pending");
  });

  /** Decides when a sign-in is necessary first, signs in, and returns the review to which that leads. */
  const decideLate = async (
    { page, state, ada, clock }: Awaited<ReturnType<typeof setUp>>,
    session: Session | undefined,
    form: Record<string, string | readonly string[]> & { readonly user_code: string },
  ) => {
    state.session = session;
    const { location } = await page("/device/decision", { decision: "approve", ...form });
    state.session = { ...ada, signedInAt: clock.now() };
    const { text } = await page(new URL(location ?? "", "https://accounts.example").searchParams.get("next") ?? "");
    const answer = /name="answer" value="([^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    return (await page("/device", { user_code: form.user_code, answer })).text;
  };

  it("stays unchanged after another sign-in, unless it is more than the page proposes", async () => {
    const served = await setUp();
    const { userCode } = await served.start();
    const longAgo = { ...served.ada, signedInAt: served.clock.now() - 5 * 60_000 };
    const propose = (deletions: string) =>
      decideLate(served, longAgo, { user_code: userCode, scope: [deletes], deletions });
    const less = await propose("3");
    expect(less).toMatch(new RegExp(`value="${deletes}" id="scope-\\d" checked>`));
    expect(less).toMatch(new RegExp(`value="${exchanges}" id="scope-\\d" >`));
    expect(less).toContain('name="deletions" value="3"');
    expect(await propose("26")).toContain('name="deletions" value="25"');
  });

  it("stays cleared after a sign-in", async () => {
    const served = await setUp();
    const { userCode } = await served.start({ from: { address: "192.0.2.7", renewable: true } });
    const cleared = { user_code: userCode, deletions: "", until: "" };
    const text = await decideLate(served, undefined, cleared);
    expect(text).toContain(`value="${deletes}"`);
    expect(text).not.toMatch(/type="checkbox"[^>]*checked/);
    expect(text).toContain('name="deletions" value=""');
    expect(text).toContain('name="until" value=""');
  });

  it.each([
    [{ decision: "approve" }, "Nothing is selected"],
    [{ decision: "approve", scope: "other:scope" }, "The selection was not one of this request"],
    [{ decision: "", scope: deletes }, "Choose Deny or Approve"],
  ])("asks again after the answer %o", async (answer, words) => {
    const { start, page, exchange } = await setUp();
    const { userCode, deviceCode } = await start();
    const { status, text } = await page("/device/decision", { user_code: userCode, ...answer });
    expect([status, text]).toEqual([400, expect.stringContaining(words)]);
    expect(await exchange(deviceCode)).toBe("authorization_pending");
  });

  it.each([
    ["nothing selected", { decision: "approve" }, "Nothing is selected."],
    ["a mistake in a field", { decision: "approve", scope: deletes, deletions: "x" }, "Enter a whole number"],
  ])("with %s is not accepted, without another sign-in for it", async (_, answer, says) => {
    const { start, page, pass } = await setUp();
    const { userCode } = await start();
    pass(5 * 60_000);
    const { status, text } = await page("/device/decision", { user_code: userCode, ...answer });
    expect([status, text]).toEqual([400, expect.stringContaining(says)]);
  });

  it("of a code that expired in the meantime says so", async () => {
    const { start, page, pass, state, ada, clock } = await setUp();
    const { userCode } = await start();
    pass(600_000);
    state.session = { ...ada, signedInAt: clock.now() };
    const approval = { user_code: userCode, decision: "approve", scope: [deletes] };
    expect(await page("/device/decision", approval)).toMatchObject({ title: "The code has expired" });
  });

  it("of a person who was disabled is rejected", async () => {
    const { start, page, own, call, tenantId } = await setUp();
    const { userCode } = await start();
    await own.setPrincipal({ tenantId, principalId: "ada", active: false }, call);
    const approval = { user_code: userCode, decision: "approve", scope: [deletes] };
    expect(await page("/device/decision", approval)).toMatchObject({ status: 403, title: "Your account is disabled" });
  });
});
