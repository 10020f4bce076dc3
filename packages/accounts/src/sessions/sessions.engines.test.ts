import { createHash } from "node:crypto";
import { StorageError } from "@platform-rpc/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ownCall } from "../http/own-call.js";
import { createAccountsSite } from "../testing/accounts-site.js";
import { signUpPerson } from "../testing/person.js";
import type { SiteBrowser } from "../testing/site-browser.js";
import { createSessionStore } from "./session-store.js";

const minute = 60_000;
const hour = 60 * minute;
const cookie = "__Host-session";

async function signedUp() {
  const site = await createAccountsSite();
  onTestFinished(site.close);
  const person = await signUpPerson(site);
  return { site, person, browser: person.browser };
}

/** Requests the account page. Returns whether the person is signed in. */
async function isSignedIn(browser: SiteBrowser): Promise<boolean> {
  const { status, location } = await browser.send("/account");
  if (status === 303) expect(location).toBe("/sign-in?next=%2Faccount");
  return status === 200;
}

/** Copies a browser with its cookies, as malware that steals them does. */
function copyOf(site: Awaited<ReturnType<typeof createAccountsSite>>, browser: SiteBrowser): SiteBrowser {
  const copy = site.openBrowser();
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

describe("a session", () => {
  it("has a cookie with 256 random bits that scripts, other sites and other hosts cannot use", async () => {
    const { site } = await signedUp();
    const browser = site.openBrowser();
    const { person } = { person: await signUpPerson(site, browser) };
    const { headers } = await person.signIn();
    const [set = ""] = headers.getSetCookie().filter((one) => one.startsWith(cookie));
    expect(set).toMatch(/^__Host-session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  });

  it("is stored under the hash of its cookie: the database contains nothing that signs in", async () => {
    const { site, person, browser } = await signedUp();
    const query = { collection: "session", tenantId: "acme", principalId: person.accountId, limit: 10 };
    const [record] = await site.own.listRecords(query);
    const token = browser.cookies.get(cookie) ?? "";
    expect(record?.key).toBe(createHash("sha256").update(token).digest("base64url"));
    expect(JSON.stringify(record)).not.toContain(token);
  });

  it("ends 15 minutes after the last request", async () => {
    const { site, browser } = await signedUp();
    for (let request = 0; request < 3; request += 1) {
      site.pass(15 * minute - 1);
      expect(await isSignedIn(browser)).toBe(true);
    }
    site.pass(15 * minute);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("is valid until it expires, but not extended, while the storage accepts no writes", async () => {
    const { site, browser } = await signedUp();
    site.breakStorage(new StorageError("full"), "putRecord");
    site.pass(15 * minute - 1);
    expect(await isSignedIn(browser)).toBe(true);
    site.pass(1);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("is not extended by requests that a page sends while nobody uses it", async () => {
    const { site, browser } = await signedUp();
    const headers = { "X-Person-Active": "no" };
    const statuses: number[] = [];
    for (let passed = 0; passed < 15; passed += 5) {
      statuses.push((await browser.send("/account/api/token", { json: {}, headers })).status);
      site.pass(5 * minute);
    }
    expect(statuses).toEqual([200, 200, 200]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("is written at most once a minute", async () => {
    const { site, person, browser } = await signedUp();
    const query = { collection: "session", tenantId: "acme", principalId: person.accountId, limit: 10 };
    const revisions = async () => (await site.own.listRecords(query)).map(({ revision }) => revision);
    site.pass(minute - 1);
    await isSignedIn(browser);
    expect(await revisions()).toEqual([1]);
    site.pass(1);
    await isSignedIn(browser);
    await isSignedIn(browser);
    expect(await revisions()).toEqual([2]);
  });

  it("ends 12 hours after sign-in, however often it is used", async () => {
    const { site, browser } = await signedUp();
    for (let passed = 0; passed < 12 * hour - 10 * minute; passed += 10 * minute) {
      site.pass(10 * minute);
      expect(await isSignedIn(browser)).toBe(true);
    }
    site.pass(10 * minute);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("does not become longer when the clock is set back", async () => {
    const { site, browser } = await signedUp();
    site.pass(-15 * minute);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("gets a new cookie at each sign-in, and the one before ends", async () => {
    const { site, person, browser } = await signedUp();
    const before = copyOf(site, browser);
    expect(await isSignedIn(before)).toBe(true);
    await person.signIn(browser, {}, true);
    expect(browser.cookies.get(cookie)).not.toBe(before.cookies.get(cookie));
    expect([await isSignedIn(browser), await isSignedIn(before)]).toEqual([true, false]);
  });

  it("never takes over a cookie that somebody else put into the browser (session fixation)", async () => {
    const { site, person } = await signedUp();
    const victim = site.openBrowser();
    const planted = "A".repeat(43);
    victim.cookies.set(cookie, planted);
    await person.signIn(victim);
    expect(victim.cookies.get(cookie)).not.toBe(planted);
    const attacker = site.openBrowser();
    attacker.cookies.set(cookie, planted);
    expect(await isSignedIn(attacker)).toBe(false);
  });

  it("ends at once when the principal becomes inactive, and so does signing in", async () => {
    const { site, person, browser } = await signedUp();
    const call = {
      actor: {
        tenantId: "platform",
        principalId: "",
        oauthClientId: "",
        tokenId: "",
        operation: "test",
        requestId: "r",
      },
      wanted: () => true,
    };
    await site.own.setPrincipal({ tenantId: "acme", principalId: person.accountId, active: false }, call);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await person.signIn()).toMatchObject({ status: 401, body: { reason: "SIGN_IN_FAILED" } });
    expect(await person.recover()).toMatchObject({ status: 401, body: { reason: "SIGN_IN_FAILED" } });
  });

  it("ends on the server at sign-out, and the browser removes its data", async () => {
    const { site, browser } = await signedUp();
    const copy = copyOf(site, browser);
    const { status, location, headers } = await browser.send("/sign-out", { form: {} });
    expect({ status, location }).toEqual({ status: 303, location: "/sign-in" });
    expect(headers.get("Clear-Site-Data")).toBe('"storage"');
    expect(browser.cookies.has(cookie)).toBe(false);
    expect(await isSignedIn(copy)).toBe(false);
  });

  it("can be ended from another session, alone or with all others", async () => {
    const { site, person, browser } = await signedUp();
    const [phone, tablet] = [site.openBrowser(), site.openBrowser()];
    await person.signIn(phone);
    await person.signIn(tablet);
    const { body } = await browser.send("/account");
    const id = createHash("sha256")
      .update(phone.cookies.get(cookie) ?? "")
      .digest("base64url");
    expect(body).toContain(id);
    await browser.send("/account/sessions/end", { form: { id } });
    expect([await isSignedIn(phone), await isSignedIn(tablet), await isSignedIn(browser)]).toEqual([false, true, true]);
    await browser.send("/account/sessions/end-all", { form: {} });
    expect([await isSignedIn(tablet), await isSignedIn(browser)]).toEqual([false, false]);
  });

  it("end all together, or none of them if the storage fails", async () => {
    const { site, person, browser } = await signedUp();
    const phone = site.openBrowser();
    await person.signIn(phone);
    const writes = vi.spyOn(site.own, "putRecords");
    site.breakStorage(new StorageError("unavailable"), "putRecords");
    expect(await browser.send("/account/sessions/end-all", { form: {} })).toMatchObject({ status: 503 });
    expect([await isSignedIn(phone), await isSignedIn(browser)]).toEqual([true, true]);
    site.repairStorage();
    await browser.send("/account/sessions/end-all", { form: {} });
    expect([await isSignedIn(phone), await isSignedIn(browser)]).toEqual([false, false]);
    expect(writes).toHaveBeenCalledOnce();
  });

  it("fails as contended when other requests change it again and again", async () => {
    const { site, person } = await signedUp();
    let tries = 0;
    const lose = async () => {
      tries += 1;
      if (tries > 10) throw new Error("tried too often");
      return { ok: false, record: undefined } as const;
    };
    const own = { ...site.own, putRecord: lose, putRecords: lose };
    const store = createSessionStore({ own, clock: site.clock, tenantId: "acme" });
    const owner = { tenantId: "acme", principalId: person.accountId };
    const [session] = await store.list(owner);
    if (session === undefined) return expect.unreachable();
    const call = ownCall("test", site.secrets);
    const grant = { grantId: "g-1", tokenId: "t-1", expiresAt: site.clock.now() + minute };
    for (const change of [
      () => store.end(owner, session.sessionId, call),
      () => store.endAll(owner, call),
      () => store.addGrant(session, grant, call),
    ]) {
      tries = 0;
      await expect(change()).rejects.toMatchObject({ name: "StorageError", reason: "contended" });
      expect(tries).toBe(10);
    }
  });

  it("cannot be ended by another person", async () => {
    const { site, browser } = await signedUp();
    const other = await signUpPerson(site);
    const id = createHash("sha256")
      .update(browser.cookies.get(cookie) ?? "")
      .digest("base64url");
    await other.browser.send("/account/sessions/end", { form: { id } });
    expect(await isSignedIn(browser)).toBe(true);
  });

  it.each(["", "unknown", "\0"])("are not affected by the id %j, which no session has", async (id) => {
    const { browser } = await signedUp();
    expect(await browser.send("/account/sessions/end", { form: { id } })).toMatchObject({ status: 303 });
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe("a page for people who signed in within the last 5 minutes", () => {
  it.each([
    ["/account/sessions/end", { id: "" }],
    ["/account/sessions/end-all", {}],
    ["/account/passkeys/remove", { id: "" }],
  ])("%s asks the person to sign in again", async (path, form) => {
    const { site, browser } = await signedUp();
    site.pass(5 * minute);
    const { status, location } = await browser.send(path, { form });
    expect({ status, location }).toEqual({ status: 303, location: "/sign-in?again=&next=%2Faccount" });
    expect(await isSignedIn(browser)).toBe(true);
  });

  it.each(["passkeys/begin", "recovery-code/begin"])("the endpoint %s requires it", async (path) => {
    const { site, browser } = await signedUp();
    const send = () => browser.send(`/account/api/${path}`, { json: {} });
    site.pass(5 * minute);
    expect(await send()).toMatchObject({ status: 401, body: { reason: "SIGN_IN_AGAIN" } });
    site.pass(15 * minute);
    expect(await send()).toMatchObject({ status: 401, body: { reason: "SIGNED_OUT" } });
  });

  it.each(["/account", "/sign-in?next=%2Fdevice"])(
    "a link on another site to %s reloads the page, because the cookie is not sent with it",
    async (path) => {
      const { browser } = await signedUp();
      browser.cookies.clear();
      const { status, body } = await browser.send(path, { headers: { "Sec-Fetch-Site": "cross-site" } });
      expect(status).toBe(200);
      expect(body).toContain(`<meta http-equiv="refresh" content="0; url=${path}">`);
    },
  );
});
