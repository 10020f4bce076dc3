import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { type AccountsSite, createAccountsSite } from "@platform-rpc/accounts/testing/accounts-site";
import { approveAgent } from "@platform-rpc/accounts/testing/approve-agent";
import { type SignedUpPerson, signUpPerson } from "@platform-rpc/accounts/testing/person";
import type { SiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { decodeJwt } from "jose";
import { describe, expect, it, onTestFinished } from "vitest";

const second = 1000;
const minute = 60 * second;

async function signedUp(changes: Parameters<typeof createAccountsSite>[0] = {}) {
  const site = await createAccountsSite(changes);
  onTestFinished(site.close);
  const person = await signUpPerson(site);
  const { accountId: principalId, browser } = person;
  return {
    site,
    person,
    browser,
    /** Returns the grants of the person whose tokens are accepted. */
    liveGrants: () => site.own.listGrants({ tenantId: "acme", principalId }),
  };
}

async function tokenOf(browser: SiteBrowser, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, body } = await browser.send("/account/api/token", { json: {}, headers });
  expect(status).toBe(200);
  return Object(body).accessToken;
}

/** Returns whether the API accepts a token a second from now: it caches tokens for that long. */
async function isAccepted({ authenticator, pass }: AccountsSite, token: string): Promise<boolean> {
  pass(second);
  return (await authenticator.authenticate(token)) !== undefined;
}

describe("a session of the console has one live grant", () => {
  it("every request gets the same token, and writes nothing, until half of its life is over", async () => {
    const { site, browser, liveGrants } = await signedUp({ rateLimiter: undefined });
    const first = await tokenOf(browser);
    site.breakStorage(new Error("Nothing may be written."), "issueAccessToken");
    const others = await Promise.all(Array.from({ length: 100 }, () => tokenOf(browser)));
    site.pass(2.5 * minute - 1000);
    others.push(await tokenOf(browser));
    expect(new Set(others)).toEqual(new Set([first]));
    expect(await liveGrants()).toHaveLength(1);
  });

  it("concurrent first requests get the same token, and write one grant", async () => {
    const { site, browser, person } = await signedUp({ rateLimiter: undefined });
    const tokens = await Promise.all(Array.from({ length: 100 }, () => tokenOf(browser)));
    expect(new Set(tokens).size).toBe(1);
    const { actor, ...call } = ownCall("test", site.secrets);
    const ofPerson = { ...call, actor: { ...actor, tenantId: "acme", principalId: person.accountId } };
    const { rows } = await site.own.listActivity({ before: undefined, limit: 1000 }, ofPerson);
    expect(rows.filter(({ event }) => event === "granted")).toHaveLength(1);
  });

  it("concurrent first requests in several processes get the same token, and the others are revoked", async () => {
    const { site, browser, liveGrants } = await signedUp({ rateLimiter: undefined });
    const processes = Array.from({ length: 4 }, () => site.openBrowser({ servedBy: site.startProcess() }));
    for (const other of processes) {
      for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    }
    const tokens = await Promise.all([browser, ...processes].map((one) => tokenOf(one)));
    expect(new Set(tokens).size).toBe(1);
    expect(await liveGrants()).toHaveLength(1);
  });

  it("is renewed when half of its life is over, and the token before is valid until it expires", async () => {
    const { site, browser, liveGrants } = await signedUp();
    const first = await tokenOf(browser);
    site.pass(2.5 * minute + second);
    const renewed = await tokenOf(browser);
    expect(renewed).not.toBe(first);
    expect(await isAccepted(site, first)).toBe(true);
    site.pass(2.5 * minute);
    expect([await isAccepted(site, first), await isAccepted(site, renewed)]).toEqual([false, true]);
    expect(await liveGrants()).toHaveLength(1);
  });

  it("is replaced at once if an administrator has revoked its token", async () => {
    const { site, browser } = await signedUp();
    const first = await tokenOf(browser);
    await site.own.revokeToken(decodeJwt(first).jti ?? "", ownCall("test", site.secrets));
    expect(await isAccepted(site, first)).toBe(false);
    expect(await isAccepted(site, await tokenOf(browser))).toBe(true);
  });
});

describe("DECISIONS section 5: a token of the console ends within 1 s of its session", () => {
  const endings: readonly (readonly [string, (person: SignedUpPerson, other: SiteBrowser) => Promise<unknown>])[] = [
    ["signing out", ({ browser }) => browser.send("/sign-out", { form: {} })],
    [
      "signing out without a network, and coming back",
      ({ browser }) => browser.send("/account/api/sign-out", { json: {} }),
    ],
    ["locking the browser", ({ browser }) => browser.send("/account/api/lock", { json: {} })],
    ["signing out everywhere", (_, other) => other.send("/account/api/access/end-all", { json: { software: false } })],
    ["signing in again in the same browser", (person) => person.signIn(person.browser, {}, true)],
    [
      "ending the session elsewhere",
      async (_, other) => {
        const { body } = await other.send("/account/api/access");
        const { id } = Object(body).sessions.find(({ current }: { current: boolean }) => !current);
        return other.send("/account/api/access/end", { json: { kind: "session", id } });
      },
    ],
  ];

  it.each(endings)("%s revokes the tokens of the session, also the one before the renewal", async (_, end) => {
    const { site, person, browser } = await signedUp();
    const first = await tokenOf(browser);
    site.pass(2.5 * minute + second);
    const tokens = [first, await tokenOf(browser)];
    const other = site.openBrowser();
    await person.signIn(other);
    const othersToken = await tokenOf(other);
    for (const token of tokens) expect(await isAccepted(site, token)).toBe(true);
    expect(await end(person, other)).toMatchObject({ status: expect.toBeOneOf([200, 303]) });
    for (const token of tokens) expect(await isAccepted(site, token)).toBe(false);
    expect(await isAccepted(site, othersToken)).toBe(_ !== "signing out everywhere");
  });

  it("a token is never valid for longer than the session without further requests", async () => {
    const { site, browser } = await signedUp();
    const unused = { "X-Person-Active": "no" };
    site.pass(14 * minute);
    const token = await tokenOf(browser, unused);
    expect(await tokenOf(browser, unused)).toBe(token);
    site.pass(minute);
    expect(await isAccepted(site, token)).toBe(false);
  });

  it("a request that is under way when the session ends gets no token that stays valid", async () => {
    const { browser, liveGrants } = await signedUp();
    await Promise.all([
      browser.send("/account/api/token", { json: {} }),
      browser.send("/sign-out", { form: {} }),
      browser.send("/account/api/token", { json: {} }),
    ]);
    expect(await liveGrants()).toEqual([]);
  });

  it("locking a browser ends no token of a program", async () => {
    const { site, person, browser } = await signedUp();
    const agent = await approveAgent(site, person.accountId);
    await browser.send("/account/api/lock", { json: {} });
    expect(await agent.refresh()).toMatchObject({ ok: true });
  });
});
