import { describe, expect, it } from "vitest";
import { approveAgent, exchangeForAgent } from "../../src/testing/approve-agent.js";
import { openSiteOfPerson, signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";

const list = async (browser: SiteBrowser) => Object((await browser.send("/account/api/access")).body);
const end = (browser: SiteBrowser, json: unknown) => browser.send("/account/api/access/end", { json });

describe("the access of a person", () => {
  it("lists what signs the person in: sessions and passkeys, without their keys", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    await person.signIn(site.openBrowser({ address: "192.0.2.9" }));
    await approveAgent(site, person.accountId);
    const { status, headers, body } = await browser.send("/account/api/access");
    expect({ status, cache: headers.get("Cache-Control") }).toEqual({ status: 200, cache: "no-store" });
    expect(body).toEqual({
      recoveryCode: true,
      newDevices: [expect.objectContaining({ address: "192.0.2.9" })],
      sessions: expect.arrayContaining([
        expect.objectContaining({ current: true, address: "192.0.2.1" }),
        expect.objectContaining({ current: false, address: "192.0.2.9", how: "passkey" }),
      ]),
      passkeys: [expect.objectContaining({ id: person.passkey.id, unlocksItems: true })],
    });
    expect(JSON.stringify(body)).not.toMatch(/ciphertext|publicKey|refreshToken|accessToken/);
  });

  it("ends with one call: this session and all others, and software only if the person wants that", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    const phone = site.openBrowser();
    const bounded = await approveAgent(site, person.accountId, { maxDeletions: 10 });
    const agent = await approveAgent(site, person.accountId);
    const exchanged = await exchangeForAgent(site, person.accountId);
    const endAll = (json: unknown) => browser.send("/account/api/access/end-all", { json });
    const isSignedOut = async (each: SiteBrowser) => (await each.send("/account/api/access")).status === 401;
    await person.signIn(phone);
    expect(await endAll({})).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
    const { status, headers } = await endAll({ software: false });
    expect([status, headers.get("Clear-Site-Data")]).toEqual([200, '"storage"']);
    expect([await isSignedOut(phone), await isSignedOut(browser)]).toEqual([true, true]);
    for (const one of [bounded, agent]) expect(await one.refresh()).toMatchObject({ ok: true });
    await person.signIn(browser);
    expect((await endAll({ software: true })).status).toBe(200);
    for (const one of [bounded, agent]) expect(await one.refresh()).toMatchObject({ ok: false });
    site.pass(1_000);
    expect(await site.authenticator.authenticate(exchanged.accessToken)).toBeUndefined();
  });

  it("renames a passkey, which still signs in", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    const { id } = person.passkey;
    const rename = (name: string) => browser.send("/account/api/passkeys/rename", { json: { id, name } });
    expect(await rename(" Work phone ")).toMatchObject({ status: 200 });
    expect(await list(browser)).toMatchObject({ passkeys: [{ id, name: "Work phone" }] });
    expect(site.events).toEqual([
      { subject: `passkey:${person.accountId}/${id}`, event: "renamed", by: person.accountId },
    ]);
    expect(await person.signIn(site.openBrowser())).toMatchObject({ status: 200 });
    expect(await rename("")).toMatchObject({
      status: 400,
      body: { reason: "NAME_NOT_ALLOWED", message: "Enter a name." },
    });
  });

  it("is announced if it is on a new device, until the person knows it; the device cannot say so itself", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    const phone = site.openBrowser({ address: "192.0.2.9" });
    const change = (on: SiteBrowser, json: object) => on.send("/account/api/devices", { json });
    await person.signIn(phone);
    expect(site.events.map(({ event }) => event)).toContainEqual(
      "signed in with passkey: A browser on an unknown system, for the first time",
    );
    const [announced] = (await list(browser)).newDevices;
    const { id } = announced;
    expect(announced).toMatchObject({ device: "A browser on an unknown system", address: "192.0.2.9" });
    // Neither the device itself nor another new one confirms or names it. The first one is not announced.
    expect((await list(phone)).newDevices).toEqual([]);
    const other = await signUpPerson(site);
    const second = site.openBrowser();
    await person.signIn(second);
    for (const stranger of [phone, second, other.browser]) {
      for (const refused of [{ known: true }, { name: "Phone" }]) {
        expect(await change(stranger, { id, ...refused })).toMatchObject({ body: { reason: "ACCOUNT_CHANGED" } });
      }
    }
    expect((await list(browser)).newDevices).toEqual(expect.arrayContaining([announced]));
    expect(await change(browser, { id, known: true })).toMatchObject({ status: 200 });
    expect((await list(browser)).newDevices).not.toContainEqual(announced);
    // A name outlives the session.
    expect(await change(browser, { id, name: " Phone " })).toMatchObject({ status: 200 });
    expect(await change(browser, { id, name: "" })).toMatchObject({ body: { reason: "NAME_NOT_ALLOWED" } });
    await phone.send("/sign-out", { form: {} });
    await person.signIn(phone);
    expect((await list(browser)).newDevices).toHaveLength(1);
    const named = expect.objectContaining({ current: true, deviceId: id, device: "Phone" });
    expect((await list(phone)).sessions).toContainEqual(named);
  });

  it("is confirmed by another new device only 30 days after the first sign-in there", async () => {
    const { site, person } = await openSiteOfPerson();
    const [laptop, phone] = [site.openBrowser(), site.openBrowser()];
    const confirm = async () => {
      await person.signIn(laptop);
      const [{ id }] = (await list(laptop)).newDevices;
      return (await laptop.send("/account/api/devices", { json: { id, known: true } })).status;
    };
    await person.signIn(laptop);
    await person.signIn(phone);
    site.pass(30 * 24 * 60 * 60 * 1000 - 1);
    expect(await confirm()).toBe(409);
    site.pass(1);
    expect(await confirm()).toBe(200);
  });

  it("of another person is neither listed nor ended", async () => {
    const { site, person, browser } = await openSiteOfPerson();
    const agent = await approveAgent(site, person.accountId);
    const bounded = await approveAgent(site, person.accountId, { maxDeletions: 10 });
    const exchanged = await exchangeForAgent(site, person.accountId);
    const other = await signUpPerson(site);
    expect(await list(other.browser)).toMatchObject({ sessions: [{ current: true }] });
    const { sessions } = await list(browser);
    for (const id of [agent.familyId, bounded.familyId, exchanged.grantId]) {
      await end(other.browser, { kind: "software", id });
    }
    await end(other.browser, { kind: "session", id: sessions[0].id });
    await end(other.browser, { kind: "passkey", id: person.passkey.id });
    for (const one of [agent, bounded]) expect(await one.refresh()).toMatchObject({ ok: true });
    expect(await site.authenticator.authenticate(exchanged.accessToken)).toBeDefined();
    expect(await list(browser)).toMatchObject({ sessions: [{}], passkeys: [{}] });
  });
});

describe("the endpoints of the page", () => {
  it.each([{}, { kind: "account", id: "x" }, { kind: "session", id: "" }, []])("reject the body %j", async (json) => {
    const { browser } = await openSiteOfPerson();
    expect(await end(browser, json)).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
  });
});
