import { describe, expect, it, vi } from "vitest";
import { routeLimits } from "../../src/http/route-limits.js";
import { openSite } from "../../src/testing/accounts-site.js";
import { openSiteOfPerson, undoCodeChange } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";

const minute = 60_000;

/** Sends a request to an endpoint, as the script of a page does. The session is checked before the body. */
function call(browser: SiteBrowser, route: string) {
  const [method, path = ""] = route.split(" ");
  return browser.send(path.replace(/:\w+/, "any"), method === "POST" ? { json: {} } : {});
}

const refused = (status: number, reason: string) => ({ status, body: { reason } });

/** The endpoints in which a session begins need none. */
const endpoints = Object.keys(routeLimits).filter((route) =>
  /^\w+ \/account\/api\/(?!sign-in\/|sign-up\/)/.test(route),
);

it.each(endpoints)("%s requires a session", async (route) => {
  const site = await openSite();
  expect(await call(site.openBrowser(), route)).toMatchObject(refused(401, "SIGNED_OUT"));
});

it.each([
  "POST /account/api/access/end",
  "POST /account/api/access/end-all",
  "POST /account/api/certificates/remove",
  "POST /account/api/delegations/change",
  "POST /account/api/exports",
  "GET /account/api/export",
  "POST /account/api/items/delete-for-ever",
  "POST /account/api/member-keys",
  "POST /account/api/passkeys/begin",
  "POST /account/api/passkeys/rename",
  "POST /account/api/person/delete",
  "POST /account/api/recovery-code/begin",
])("%s requires a sign-in within the last 5 minutes", async (route) => {
  const { site, browser } = await openSiteOfPerson();
  site.pass(5 * minute);
  expect(await call(browser, route)).toMatchObject(refused(401, "SIGN_IN_AGAIN"));
});

it.each([
  "POST /account/api/exports",
  "POST /account/api/items/delete-for-ever",
  "POST /account/api/passkeys/begin",
  "POST /account/api/person/delete",
  "POST /account/api/token",
  "POST /account/api/unlocks/any",
])("%s requires that the person has confirmed a recovery code whose change a restore has undone", async (route) => {
  const { site, person, browser } = await openSiteOfPerson();
  await undoCodeChange(site, person.accountId);
  expect(await call(browser, route)).toMatchObject(refused(403, "CODE_NOT_CONFIRMED"));
});

describe("a locked session", () => {
  async function locked() {
    const { site, person, browser } = await openSiteOfPerson();
    expect(await browser.send("/account/api/lock", { json: {} })).toMatchObject({ status: 200 });
    return { site, person, browser };
  }

  const unlocking = [
    "GET /account/api/session",
    "GET /sign-in",
    "POST /account/api/lock",
    "POST /account/api/sign-in/begin",
    "POST /account/api/sign-in/finish",
    "POST /account/api/sign-out",
    "POST /sign-out",
  ];
  const others = Object.keys(routeLimits).filter((route) => !unlocking.includes(route));

  it("is none for any route but those that unlock the browser", async () => {
    const { site, browser } = await locked();
    const stranger = site.openBrowser();
    for (const route of others) {
      const [{ status, location, body }, signedOut] = [await call(browser, route), await call(stranger, route)];
      expect({ route, status, location }).toEqual({ route, status: signedOut.status, location: signedOut.location });
      expect(JSON.stringify(body)).not.toContain("Ada");
    }
  });

  it("leads to the page that unlocks it, and stays locked until the person proves who they are", async () => {
    const { person, browser } = await locked();
    expect(await browser.send("/console/activity")).toMatchObject({ location: "/sign-in?next=%2Fconsole%2Factivity" });
    const { status, body } = await browser.send("/sign-in?next=%2Fconsole%2Factivity");
    expect({ status, body }).toEqual({ status: 200, body: expect.stringContaining("<h1>Locked</h1>") });
    expect(await browser.send("/account/api/session")).toMatchObject({ status: 200, body: { locked: true } });
    expect(await person.signIn(browser, {}, true)).toMatchObject({ status: 200 });
    expect((await browser.send("/account/api/session")).body).toEqual({ principalId: person.accountId });
    expect(await browser.send("/account/api/access")).toMatchObject({ status: 200 });
  });
});

it("RFC 9110 section 9.2.1: HEAD and OPTIONS change nothing on any page, also for a person whose session is due to be extended", async () => {
  const { site, browser } = await openSiteOfPerson();
  site.pass(minute);
  const written: object[] = [];
  const { storage } = site;
  const transact = storage.transact.bind(storage);
  vi.spyOn(storage, "transact").mockImplementation((ref, rule, options) => {
    const recorded: typeof rule = (snapshot) => {
      const decision = rule(snapshot);
      written.push(...decision.writes);
      return decision;
    };
    return transact(ref, recorded, options);
  });
  const pages = Object.keys(routeLimits).flatMap((route) => (route.startsWith("GET ") ? [route.slice(4)] : []));
  for (const path of pages) {
    for (const method of ["HEAD", "OPTIONS"] as const) {
      const { status } = await browser.send(path.replace(/:\w+|\*/, "any"), {
        method,
        headers: { Origin: browser.origin },
      });
      expect([path, method, status, written]).toEqual([path, method, expect.any(Number), []]);
    }
  }
  await browser.send("/console");
  expect(written).toHaveLength(1);
});

it.each(["/", "/console", "/sign-in", "/account/api/export"])(
  "%s is not loaded before the person opens it",
  async (path) => {
    const { browser } = await openSiteOfPerson();
    const { status, headers } = await browser.send(path, { headers: { "Sec-Purpose": "prefetch;prerender" } });
    expect([status, headers.get("Cache-Control")]).toEqual([403, "no-store"]);
  },
);

it.each(["/console/security", "/sign-in?next=%2Fdevice"])(
  "the page %s that another site links to is reloaded, because the cookie is not sent with the link",
  async (path) => {
    const browser = (await openSite()).openBrowser();
    const { status, body } = await browser.send(path, { headers: { "Sec-Fetch-Site": "cross-site" } });
    expect(status).toBe(200);
    expect(body).toContain(`<meta http-equiv="refresh" content="0; url=${path}">`);
  },
);

it("the address of the earlier account page leads to the page Security of the vault", async () => {
  const browser = (await openSite()).openBrowser();
  expect(await browser.send("/account")).toMatchObject({ status: 303, location: "/console/security" });
});
