import type { StartDeviceAuthorizationInput } from "@platform-rpc/server/host";
import { describe, expect, it, vi } from "vitest";
import { type DeviceStart, deviceStarts } from "../../src/device/device-start.js";
import { ownCall } from "../../src/http/own-call.js";
import { anyProgram } from "../../src/review/review-page.js";
import { boundsForm } from "../../src/testing/bounds-form.js";
import { openSiteOfPerson, signUpPerson } from "../../src/testing/person.js";
import type { SiteRequest } from "../../src/testing/site-browser.js";

const tenantId = "acme";
const deletes = "vault.items:delete";
const exchanges = "identity.device_authorizations:exchange";

/** A site with one OAuth client, and a person who is signed in. */
async function setUp(changes: Parameters<typeof openSiteOfPerson>[0] = {}) {
  const { site, person, browser } = await openSiteOfPerson(changes);
  const { own, clock, secrets } = site;
  const { accountId } = person;
  const call = ownCall("test", secrets);
  const allowedOperations = [
    "platform.v1.VaultService/DeleteItem",
    "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  ];
  const client = { tenantId, oauthClientId: "agent", name: "<b>Agent</b>", allowedOperations, enabled: true };
  await own.setOauthClient(client, { ...call, actor: { ...call.actor, principalId: "admin" } });

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
  const page = async (path: string, form?: SiteRequest["form"], by = browser) => {
    const { status, location, body } = await by.send(path, form === undefined ? {} : { form });
    const text = String(body);
    return { status, location, text, title: /<h1>(.*)<\/h1>/.exec(text)?.[1] };
  };
  /** Sends the form of a review, as the page proposes it, with an answer. */
  const decide = (answer: Readonly<Record<string, string | readonly string[]>>) =>
    page("/device/decision", { person: accountId, ...boundsForm(clock.now(), accountId), ...answer });
  const exchange = async (deviceCode: string) => {
    const actor = { ...call.actor, tenantId, principalId: accountId, oauthClientId: "agent" };
    const result = await own.exchangeDeviceCode({ deviceCode, idempotencyKey: undefined }, { ...call, actor });
    return result.ok ? result.status : result.reason;
  };
  return { site, person, browser, call, client, start, page, decide, exchange };
}

describe("GET /device", () => {
  it("has one field for the code, which a person can use before they sign in", async () => {
    const { site, page } = await setUp();
    const { status, text } = await page("/device", undefined, site.openBrowser());
    expect(status).toBe(200);
    expect(text.match(/<input/g)).toHaveLength(1);
    // It works without its script, which only shows the code in two groups.
    expect(text.match(/<script/g)).toHaveLength(1);
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
    const { site, start, page } = await setUp();
    const { userCode } = await start();
    const next = encodeURIComponent(`/device?user_code=${userCode}`);
    const stranger = site.openBrowser();
    expect(await page("/device", { user_code: userCode }, stranger)).toMatchObject({
      status: 303,
      location: `/sign-in?next=${next}`,
    });
    const decision = { user_code: userCode, decision: "deny" };
    expect(await page("/device/decision", decision, stranger)).toMatchObject({
      status: 303,
      location: expect.stringContaining(`/sign-in?next=${next}`),
    });
  });

  it("RFC 8628 section 5.4: shows who asks, the code again, each scope in words, and when and from where it was started", async () => {
    const { site, start, page } = await setUp();
    const { userCode } = await start({ from: { address: "198.51.100.9", name: "ada-laptop", renewable: true } });
    site.pass(120_000);
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
      "2 minutes ago</time> by a device that calls itself “<strong>ada-laptop</strong>”, <strong>on another network</strong>",
      "198.51.100.9",
      "None: anyone who has the tokens can use them",
      "If somebody sent you this code, choose Deny.",
    ]) {
      expect(text).toContain(shown);
    }
    expect(text.indexOf('value="deny"')).toBeLessThan(text.indexOf('value="approve"'));
  });

  it("warns that any program can use the name of a client, if the person is offered no limits for it", async () => {
    const { site, call, client, start, page } = await setUp();
    const { userCode: user_code } = await start();
    expect((await page("/device", { user_code })).text).not.toContain(anyProgram);
    await site.own.setOauthClient({ ...client, unbounded: true }, call);
    expect((await page("/device", { user_code })).text).toContain(anyProgram);
  });

  it("shows the thumbprint of the key", async () => {
    const { start, page } = await setUp();
    const { publicKey } = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const { kty, crv, x } = await crypto.subtle.exportKey("jwk", publicKey);
    const { authorization, userCode } = await start({ popPublicJwk: JSON.stringify({ kty, crv, x }) });
    const { text } = await page("/device", { user_code: userCode });
    expect(text).toContain(`<code>${authorization.popKeyId}</code>`);
  });

  it("shows that a request came from the network of the browser, and no end for tokens that are not renewed", async () => {
    const { site, person, start, page } = await setUp();
    const browser = site.openBrowser({ address: "2001:db8::2" });
    await person.signIn(browser);
    const { userCode } = await start({ from: { address: "2001:db8::1", renewable: false } });
    const { text } = await page("/device", { user_code: userCode }, browser);
    expect(text).toContain("</time> on the network of this browser.");
    expect(text).toContain("<dt>Network</dt><dd>2001:db8::1</dd>");
    expect(text).toContain("<dd>15 minutes</dd>");
    expect(text).not.toContain('name="until"');
  });

  it.each(["", "AAAA-AAAA", "x".repeat(1000)])("rejects the code %j with the same words", async (typed) => {
    const { page } = await setUp();
    const { status, text } = await page("/device", { user_code: typed });
    expect(status).toBe(400);
    expect(text).toContain("This code is not valid. Compare it with the device.");
  });

  it("one network with many accounts cannot keep the others of its tenant from approving", async () => {
    const { site, start, page, browser } = await setUp({ rateLimiter: undefined });
    const { userCode } = await start();
    const attackers = (cookies: Map<string, string>) => site.openBrowser({ address: "198.51.100.1", cookies });
    for (let account = 0; account < 12; account += 1) {
      const mallory = await signUpPerson(site, site.openBrowser({ address: `203.0.113.${account}` }));
      const attacker = attackers(mallory.browser.cookies);
      for (let guess = 0; guess < 5; guess += 1) await page("/device", { user_code: "BBBB-BBBB" }, attacker);
    }
    expect((await page("/device", { user_code: userCode })).status).toBe(200);
    const inTheirNetwork = attackers(browser.cookies);
    expect((await page("/device", { user_code: userCode }, inTheirNetwork)).status).toBe(400);
    site.pass(600_000);
    const { userCode: later } = await start();
    expect((await page("/device", { user_code: later }, inTheirNetwork)).status).toBe(200);
  });
});

describe("the decision", () => {
  it("approves, and the device gets its tokens", async () => {
    const { start, page, decide, exchange } = await setUp();
    const { userCode, deviceCode } = await start();
    const approval = { user_code: userCode, decision: "approve", scope: [deletes, exchanges] };
    expect(await decide(approval)).toMatchObject({ status: 200, title: "Approved" });
    expect(await exchange(deviceCode)).toBe("approved");
    expect(await page("/device", { user_code: userCode })).toMatchObject({
      title: "The code was used already",
      text: expect.stringContaining(`do not know on <a href="/console/agents">`),
    });
  });

  it("denies, also long after sign-in", async () => {
    const { site, start, page, decide, exchange } = await setUp();
    const { userCode, deviceCode } = await start();
    site.pass(6 * 60_000);
    const denial = { user_code: userCode, decision: "deny", scope: [deletes] };
    expect(await decide(denial)).toMatchObject({ status: 200, title: "Denied" });
    expect(await exchange(deviceCode)).toBe("access_denied");
    expect(await page("/device", { user_code: userCode })).toMatchObject({ title: "Denied" });
  });

  it("says that a Deny after an Approve changes nothing, also at the same time, and where the access is removed", async () => {
    const { start, decide, exchange } = await setUp();
    const { userCode: user_code, deviceCode } = await start();
    const answer = (decision: string) => decide({ user_code, decision, scope: [deletes] });
    const text = expect.stringContaining(`access on <a href="/console/agents">`);
    const late = expect.objectContaining({ title: "It was already approved", text });
    const [approved, denied] = await Promise.all([answer("approve"), answer("deny")]);
    expect([approved.title, denied, await answer("deny")]).toEqual(["Approved", late, late]);
    expect(await exchange(deviceCode)).toBe("approved");
  });

  it("that was shown to another person of the browser is shown again, and neither approves nor denies", async () => {
    const { site, browser, start, decide, exchange } = await setUp();
    const { userCode, deviceCode } = await start();
    const { accountId } = await signUpPerson(site, browser);
    for (const decision of ["approve", "deny"]) {
      const { status, text } = await decide({ user_code: userCode, decision, scope: [deletes] });
      expect([status, text]).toEqual([400, expect.stringContaining("Another person has signed in to this browser.")]);
      expect(text).toContain(`name="person" value="${accountId}"`);
    }
    expect(await exchange(deviceCode)).toBe("authorization_pending");
  });

  it("asks who it is before it approves, five minutes after sign-in, and leads back without the choice in the URL", async () => {
    const { site, start, decide, exchange } = await setUp();
    const { userCode, deviceCode } = await start();
    site.pass(5 * 60_000);
    const answered = await decide({ user_code: userCode, decision: "approve", scope: [deletes], deletions: "3" });
    const next = encodeURIComponent(`/device?user_code=${userCode}`);
    expect([answered.status, answered.location]).toEqual([303, `/sign-in?again=&next=${next}`]);
    expect(await exchange(deviceCode)).toBe("authorization_pending");
  });

  it("asks again after a selection that is not one of the request", async () => {
    const { start, decide, exchange } = await setUp();
    const { userCode, deviceCode } = await start();
    const { status, text } = await decide({ user_code: userCode, decision: "approve", scope: "other:scope" });
    expect([status, text]).toEqual([400, expect.stringContaining("The selection was not one of this request")]);
    expect(await exchange(deviceCode)).toBe("authorization_pending");
  });

  it("of a code that expired in the meantime says so", async () => {
    const { site, person, browser, start, decide } = await setUp();
    const { userCode } = await start();
    site.pass(600_000);
    await person.signIn(browser, {}, true);
    const approval = { user_code: userCode, decision: "approve", scope: [deletes] };
    expect(await decide(approval)).toMatchObject({ title: "The code has expired" });
  });

  it("of a person who is disabled in the meantime is rejected", async () => {
    const { site, person, call, start, decide } = await setUp();
    const { userCode } = await start();
    const { getDeviceAuthorization } = site.operations;
    vi.spyOn(site.operations, "getDeviceAuthorization").mockImplementationOnce(async (...args) => {
      await site.own.setPrincipal({ tenantId, principalId: person.accountId, active: false }, call);
      return getDeviceAuthorization(...args);
    });
    const approval = { user_code: userCode, decision: "approve", scope: [deletes] };
    expect(await decide(approval)).toMatchObject({ status: 403, title: "Your account is disabled" });
  });
});
