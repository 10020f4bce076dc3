import { createHash } from "node:crypto";
import { StorageError } from "@platform-rpc/server";
import { describe, expect, it, vi } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { createSessionStore } from "../../src/sessions/session-store.js";
import { openSiteOfPerson, signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";

const minute = 60_000;
const cookie = "__Host-session";

/** Requests the vault. Returns whether the person is signed in. */
async function isSignedIn(browser: SiteBrowser): Promise<boolean> {
  const { status, location } = await browser.send("/console");
  if (status === 303) expect(location).toBe("/sign-in?next=%2Fconsole");
  return status === 200;
}

const endAll = (browser: SiteBrowser) => browser.send("/account/api/access/end-all", { json: { software: false } });

describe("a session", () => {
  it("has a cookie with 256 random bits that scripts, other sites and other hosts cannot use", async () => {
    const { site } = await openSiteOfPerson();
    const browser = site.openBrowser();
    const { signIn } = await signUpPerson(site, browser);
    const { headers } = await signIn();
    const [set = ""] = headers.getSetCookie().filter((one) => one.startsWith(cookie));
    expect(set).toMatch(/^__Host-session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  });

  it("is stored under the hash of its cookie: the database contains nothing that signs in", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    const query = { collection: "session", tenantId: "acme", principalId: person.accountId, limit: 10 };
    const [record] = await site.own.listRecords(query);
    const token = browser.cookies.get(cookie) ?? "";
    expect(record?.key).toBe(createHash("sha256").update(token).digest("base64url"));
    expect(JSON.stringify(record)).not.toContain(token);
  });

  it("ends 15 minutes after the last request", async () => {
    const { site, browser } = await openSiteOfPerson();
    for (let request = 0; request < 3; request += 1) {
      site.pass(15 * minute - 1);
      expect(await isSignedIn(browser)).toBe(true);
    }
    site.pass(15 * minute);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("is valid until it expires, but not extended, while the storage accepts no writes", async () => {
    const { site, browser } = await openSiteOfPerson();
    site.breakStorage(new StorageError("full"), "putRecord");
    site.pass(15 * minute - 1);
    expect(await isSignedIn(browser)).toBe(true);
    site.pass(1);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("is not extended by requests that a page sends while nobody uses it", async () => {
    const { site, browser } = await openSiteOfPerson();
    const headers = { "X-Person-Active": "no" };
    const statuses: number[] = [];
    for (let passed = 0; passed < 15; passed += 5) {
      statuses.push((await browser.send("/account/api/token", { json: {}, headers })).status);
      site.pass(5 * minute);
    }
    expect(statuses).toEqual([200, 200, 200]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("does not become longer when the clock is set back", async () => {
    const { site, browser } = await openSiteOfPerson();
    site.pass(-15 * minute);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("gets a new cookie at each sign-in, and the one before ends", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    const before = site.openBrowser({ cookies: browser.cookies });
    expect(await isSignedIn(before)).toBe(true);
    await person.signIn(browser, {}, true);
    expect(browser.cookies.get(cookie)).not.toBe(before.cookies.get(cookie));
    expect([await isSignedIn(browser), await isSignedIn(before)]).toEqual([true, false]);
  });

  it("never takes over a cookie that somebody else put into the browser (session fixation)", async () => {
    const { site, person } = await openSiteOfPerson();
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
    const { site, person, browser } = await openSiteOfPerson();
    const call = ownCall("test", site.secrets);
    await site.own.setPrincipal({ tenantId: "acme", principalId: person.accountId, active: false }, call);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await person.signIn()).toMatchObject({ status: 401, body: { reason: "SIGN_IN_FAILED" } });
    expect(await person.recover()).toMatchObject({ status: 401, body: { reason: "SIGN_IN_FAILED" } });
  });

  it("ends on the server at sign-out, and the browser removes its data", async () => {
    const { site, browser } = await openSiteOfPerson();
    const copy = site.openBrowser({ cookies: browser.cookies });
    const { status, location, headers } = await browser.send("/sign-out", { form: {} });
    expect({ status, location }).toEqual({ status: 303, location: "/sign-in" });
    expect(headers.get("Clear-Site-Data")).toBe('"storage"');
    expect(browser.cookies.has(cookie)).toBe(false);
    expect(await isSignedIn(copy)).toBe(false);
  });

  it("can be ended from another session, alone", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    const phone = site.openBrowser();
    await person.signIn(phone);
    const id = createHash("sha256")
      .update(phone.cookies.get(cookie) ?? "")
      .digest("base64url");
    await browser.send("/account/api/access/end", { json: { kind: "session", id } });
    expect([await isSignedIn(phone), await isSignedIn(browser)]).toEqual([false, true]);
  });

  it("end all together, or none of them if the storage fails", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    const phone = site.openBrowser();
    await person.signIn(phone);
    const writes = vi.spyOn(site.own, "putRecords");
    site.breakStorage(new StorageError("unavailable"), "putRecords");
    expect(await endAll(browser)).toMatchObject({ status: 503 });
    expect([await isSignedIn(phone), await isSignedIn(browser)]).toEqual([true, true]);
    site.repairStorage();
    await endAll(browser);
    expect([await isSignedIn(phone), await isSignedIn(browser)]).toEqual([false, false]);
    expect(writes).toHaveBeenCalledOnce();
  });

  it("fails as contended when other requests change it again and again", async () => {
    const { site, person } = await openSiteOfPerson();
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
    for (const change of [() => store.endAll(owner, call), () => store.addGrant(session, grant, call)]) {
      tries = 0;
      await expect(change()).rejects.toMatchObject({ name: "StorageError", reason: "contended" });
      expect(tries).toBe(10);
    }
  });
});
