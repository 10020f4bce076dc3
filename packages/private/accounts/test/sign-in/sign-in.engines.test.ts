import { StorageError } from "@platform-rpc/server";
import { describe, expect, it, vi } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { openSite, siteOrigin } from "../../src/testing/accounts-site.js";
import { begin, openSiteOfPerson, signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";
import { createSoftwarePasskey, type PasskeyChanges } from "../../src/testing/software-passkey.js";

const minute = 60_000;
const failed = { status: 401, body: { reason: "SIGN_IN_FAILED" } };
const finish = "/account/api/sign-in/finish";

/** A person, and another browser in which nobody is signed in. */
async function signedUp(changes: Parameters<typeof openSiteOfPerson>[0] = {}) {
  const { site, person } = await openSiteOfPerson(changes);
  return { site, person, browser: site.openBrowser() };
}

it.each(["/sign-in", "/sign-up"])(
  "no form of %s can be sent before its script is ready: its fields must not reach the server",
  async (path) => {
    const site = await openSite();
    const { body } = await site.openBrowser().send(path);
    const shown = String(body).split(/id="(?:new-recovery-code|offered-passkey)"/)[0] ?? "";
    const buttons = shown.match(/<button[^>]*>/g) ?? [];
    expect(buttons.filter((button) => !button.includes("data-until-script disabled"))).toEqual([]);
    expect(buttons).toHaveLength(2);
  },
);

describe("sign-in with a passkey", () => {
  it("returns the account and the keys that the passkey unlocks", async () => {
    const { person, browser } = await signedUp();
    const { accountId, wrappedKeys } = person;
    const body = { accountId, displayName: "Ada", how: "passkey", wrappedKeys };
    expect(await person.signIn(browser)).toMatchObject({ status: 200, body });
    expect(await browser.send("/console")).toMatchObject({ status: 200 });
  });

  it.each<[string, PasskeyChanges]>([
    ["another origin", { origin: "https://evil.example" }],
    ["another relying party", { rpId: "evil.example" }],
    ["another challenge", { challenge: "YW5vdGhlcg" }],
    ["a user who is not verified", { userVerified: false }],
    ["a counter that did not grow: the passkey was copied", { counter: 1 }],
    ["the user handle of nobody", { accountId: "0192-nobody" }],
    ["an empty user handle", { accountId: "" }],
    ["a user handle that no storage can contain", { accountId: "\0" }],
  ])("fails with %s", async (_, changes) => {
    const { person, browser } = await signedUp();
    expect(await person.signIn(browser, changes)).toMatchObject(failed);
    expect(browser.cookies.has("__Host-session")).toBe(false);
  });

  it("fails with a passkey of another account, or of none", async () => {
    const { site, person, browser } = await signedUp();
    const other = await signUpPerson(site);
    expect(await other.signIn(browser, { accountId: person.accountId })).toMatchObject(failed);
    const { passkey } = await begin(browser, "sign-in", { again: false });
    const unknown = createSoftwarePasskey(siteOrigin).use(passkey, { accountId: person.accountId });
    expect(await browser.send(finish, { json: { how: "passkey", response: unknown } })).toMatchObject(failed);
  });

  it("rejects a request that contains the output of an extension: it unlocks the keys", async () => {
    const { person, browser } = await signedUp();
    const { passkey } = await begin(browser, "sign-in", { again: false });
    const clientExtensionResults = { prf: { results: { first: "c2VjcmV0" } } };
    const response = { ...person.passkey.use(passkey), clientExtensionResults };
    const sent = await browser.send(finish, { json: { how: "passkey", response } });
    expect(sent).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
  });
});

describe("sign-in with a recovery code", () => {
  it("returns the account and the keys that the code unlocks", async () => {
    const { person, browser } = await signedUp();
    const body = { accountId: person.accountId, how: "recovery code", wrappedKeys: person.recovery.wrappedKeys };
    expect(await person.recover(browser)).toMatchObject({ status: 200, body });
    expect(await browser.send("/console")).toMatchObject({ status: 200 });
  });

  it("succeeds in several new browsers at the same time, also if the person has 100 others", async () => {
    const { site, person } = await signedUp();
    const recoverInNewBrowser = async () => (await person.recover(site.openBrowser())).status;
    for (let devices = 0; devices < 100; devices += 1) await recoverInNewBrowser();
    expect(await Promise.all(Array.from({ length: 8 }, recoverInNewBrowser))).toEqual(Array(8).fill(200));
  });

  it("fails with a signature for another origin, and with an unknown code in the same way: it does not reveal who has an account", async () => {
    const { person, browser } = await signedUp();
    const known = await person.recover(browser, { origin: "https://evil.example" });
    const unknown = await person.recover(browser, { locator: "A".repeat(22) });
    expect(known).toMatchObject(failed);
    expect(unknown).toMatchObject({ status: known.status, body: known.body });
    expect([...known.headers.keys()]).toEqual([...unknown.headers.keys()]);
  });
});

describe("a challenge", () => {
  async function signedChallenge() {
    const { site, person, browser } = await signedUp();
    const { passkey } = await begin(browser, "sign-in", { again: false });
    const json = { how: "passkey", response: person.passkey.use(passkey) };
    return { site, person, browser, send: (from: SiteBrowser) => from.send(finish, { json }) };
  }
  const expired = { status: 400, body: { reason: "CEREMONY_EXPIRED" } };

  it("is accepted once, also by concurrent requests", async () => {
    const { site, browser, send } = await signedChallenge();
    const copies = Array.from({ length: 5 }, () => site.openBrowser({ cookies: browser.cookies }));
    const statuses = await Promise.all(copies.map(async (copy) => (await send(copy)).status));
    expect(statuses.toSorted()).toEqual([200, 400, 400, 400, 400]);
    expect(await send(browser)).toMatchObject(expired);
  });

  it("is used up by a sign-in that fails", async () => {
    const { site, browser, send } = await signedChallenge();
    const copy = site.openBrowser({ cookies: browser.cookies });
    const wrong = { how: "recovery code", locator: "A".repeat(22), signature: "" };
    expect(await browser.send(finish, { json: wrong })).toMatchObject(failed);
    expect(await send(copy)).toMatchObject(expired);
  });

  it("expires after 5 minutes", async () => {
    const { site, browser, send } = await signedChallenge();
    site.pass(5 * minute);
    expect(await send(browser)).toMatchObject(expired);
  });

  it("is bound to the browser that asked for it", async () => {
    const { site, send } = await signedChallenge();
    const other = site.openBrowser();
    expect(await send(other)).toMatchObject(expired);
    await begin(other, "sign-in", { again: false });
    expect(await send(other)).toMatchObject(failed);
  });

  it("is bound to its purpose", async () => {
    const { site, person } = await signedChallenge();
    const browser = site.openBrowser();
    const { passkey } = await begin(browser, "sign-up", { displayName: "Eve" });
    const json = { how: "passkey", response: person.passkey.use(passkey) };
    expect(await browser.send(finish, { json })).toMatchObject(expired);
  });
});

describe("signing in again", () => {
  it("offers the passkeys of the person, and accepts no other person", async () => {
    const { site, person } = await signedUp();
    const { passkey } = await begin(person.browser, "sign-in", { again: true });
    expect(passkey).toMatchObject({ allowCredentials: [{ id: person.passkey.id }] });
    expect(await person.signIn(person.browser, {}, true)).toMatchObject({ status: 200 });
    const other = await signUpPerson(site);
    expect(await other.signIn(person.browser, {}, true)).toMatchObject(failed);
  });

  it("needs a session", async () => {
    const { browser } = await signedUp();
    const sent = await browser.send("/account/api/sign-in/begin", { json: { again: true } });
    expect(sent).toMatchObject({ status: 401, body: { reason: "SIGNED_OUT" } });
  });
});

describe("limits of sign-in", () => {
  it("a network is rejected after 50 failures in 10 minutes, for any account; other networks are not", async () => {
    const { site, person, browser } = await signedUp();
    const wrong = { json: { how: "recovery code", locator: "A".repeat(22), signature: "" } };
    for (let failure = 0; failure < 50; failure += 1) expect((await browser.send(finish, wrong)).status).toBe(400);
    const limited = { status: 429, body: { reason: "RATE_LIMITED" } };
    const rejected = await person.recover(browser);
    expect(rejected).toMatchObject(limited);
    expect(rejected.headers.get("Retry-After")).toBe("600");
    expect(await person.recover(site.openBrowser({ address: "198.51.100.1" }))).toMatchObject({ status: 200 });
    site.pass(10 * minute);
    expect(await person.recover(browser)).toMatchObject({ status: 200 });
  });

  it("an account is locked after 10 failures from any networks, with the response of every failure", async () => {
    const { site, person } = await signedUp();
    const from = (host: number) => site.openBrowser({ address: `198.51.100.${host}` });
    for (let host = 1; host <= 10; host += 1) await person.signIn(from(host), { challenge: "YW5vdGhlcg" });
    expect(await person.signIn(from(11))).toMatchObject(failed);
    site.pass(10 * minute);
    expect(await person.signIn(from(11))).toMatchObject({ status: 200 });
  });

  it("nobody can lock an account with its id alone, which other members of a vault know", async () => {
    const { site, person } = await signedUp();
    for (let host = 1; host <= 20; host += 1) {
      const browser = site.openBrowser({ address: `198.51.100.${host}` });
      const { passkey } = await begin(browser, "sign-in", { again: false });
      const response = createSoftwarePasskey(siteOrigin).use(passkey, { accountId: person.accountId });
      await browser.send(finish, { json: { how: "passkey", response } });
    }
    expect(await person.signIn()).toMatchObject({ status: 200 });
  });
});

describe("a sign-in is one step", () => {
  it("changes nothing if the storage fails: the person stays signed in, and the same proof can be sent again", async () => {
    const { site, person, browser } = await signedUp();
    await person.signIn(browser);
    const before = browser.cookies.get("__Host-session");
    const call = ownCall("test", site.secrets);
    const owner = { tenantId: "acme", principalId: person.accountId };
    const stored = async () => [
      await site.own.getRecord({ tenantId: "acme", collection: "account", key: person.accountId }, call),
      (await site.own.listRecords({ ...owner, collection: "session", limit: 9 })).map(({ value }) => value).sort(),
    ];
    const { passkey } = await begin(browser, "sign-in", { again: true });
    const json = { how: "passkey", response: person.passkey.use(passkey) };
    const unchanged = await stored();
    site.events.length = 0;
    site.breakStorage(new StorageError("unavailable"), "putRecords");
    expect(await browser.send(finish, { json })).toMatchObject({ status: 503 });
    site.repairStorage();
    expect(await stored()).toEqual(unchanged);
    expect(site.events).toEqual([]);
    expect(await browser.send("/console")).toMatchObject({ status: 200 });

    expect(await browser.send(finish, { json })).toMatchObject({ status: 200 });
    expect(browser.cookies.get("__Host-session")).not.toBe(before);
    expect(site.events.map(({ event }) => event)).toEqual([
      "signed in with passkey: A browser on an unknown system",
      "ended",
    ]);
    expect(await browser.send(finish, { json })).toMatchObject({ status: 400, body: { reason: "CEREMONY_EXPIRED" } });
  });

  it("is tried again if the session that the browser had was extended at the same time", async () => {
    const { site, person, browser } = await signedUp();
    await person.signIn(browser);
    const { putRecords } = site.own;
    let writes = 0;
    vi.spyOn(site.own, "putRecords").mockImplementation(async (input, call) => {
      writes += 1;
      if (writes === 1) {
        site.pass(minute);
        await browser.send("/console");
      }
      return putRecords(input, call);
    });
    expect(await person.signIn(browser)).toMatchObject({ status: 200 });
    expect(writes).toBe(2);
    expect(site.events.filter(({ event }) => event === "ended")).toHaveLength(1);
  });
});

describe("the audit trail of sign-in", () => {
  it("records successes, and failures of known accounts", async () => {
    const { site, person, browser } = await signedUp();
    const { accountId } = person;
    const subject = `account:${accountId}`;
    site.events.length = 0;
    await person.signIn(browser);
    await person.recover(site.openBrowser());
    await person.signIn(site.openBrowser(), { userVerified: false });
    await person.recover(site.openBrowser(), { origin: "https://evil.example" });
    await person.recover(site.openBrowser(), { locator: "A".repeat(22) });
    expect(site.events).toEqual([
      { subject, event: "signed in with passkey: A browser on an unknown system, for the first time", by: accountId },
      {
        subject,
        event: expect.stringMatching(/^signed in with recovery code: .*, for the first time$/),
        by: accountId,
      },
      { subject, event: "sign-in with passkey failed", by: "" },
      { subject, event: "sign-in with recovery code failed", by: "" },
    ]);
  });

  it("records a failure without changing the account, so that no change of its person fails", async () => {
    const { site, person, browser } = await signedUp();
    const call = ownCall("test", site.secrets);
    const find = () => site.own.getRecord({ tenantId: "acme", collection: "account", key: person.accountId }, call);
    const before = await find();
    expect(await person.signIn(browser, { userVerified: false })).toMatchObject(failed);
    expect(await find()).toEqual(before);
  });
});

describe("the sign-in page", () => {
  it("leads signed-in people on, but never to another site", async () => {
    const { person } = await signedUp();
    const at = async (query: string) => (await person.browser.send(`/sign-in?${query}`)).location;
    expect(await at("next=%2Fdevice%3Fuser_code%3DA")).toBe("/device?user_code=A");
    expect(await at("next=https%3A%2F%2Fevil.example")).toBe("/console");
    expect(await at("again=&next=%2Fdevice")).toBeUndefined();
  });
});

it.each([{ json: {} }, { json: null }, { form: { a: "b" } }])("the body %j is rejected", async (request) => {
  const { browser } = await signedUp();
  const sent = await browser.send(finish, request);
  expect(sent).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST", message: expect.any(String) } });
});
