import { describe, expect, it, onTestFinished } from "vitest";
import { createAccountsSite } from "../testing/accounts-site.js";
import { approveAgent } from "../testing/approve-agent.js";
import { signUpPerson } from "../testing/person.js";
import type { SiteBrowser } from "../testing/site-browser.js";

const minute = 60_000;

async function setUp() {
  const site = await createAccountsSite();
  onTestFinished(site.close);
  const person = await signUpPerson(site);
  site.events.length = 0;
  return { site, person, browser: person.browser };
}

const list = async (browser: SiteBrowser) => Object((await browser.send("/account/api/access")).body);
const end = (browser: SiteBrowser, json: unknown) => browser.send("/account/api/access/end", { json });

describe("the access of a person", () => {
  it("lists what signs the person in: sessions and passkeys, without their keys", async () => {
    const { site, person, browser } = await setUp();
    await person.signIn(site.openBrowser({ address: "192.0.2.9" }));
    await approveAgent(site, person.accountId);
    const { status, headers, body } = await browser.send("/account/api/access");
    expect({ status, cache: headers.get("Cache-Control") }).toEqual({ status: 200, cache: "no-store" });
    expect(body).toEqual({
      recoveryCode: true,
      sessions: expect.arrayContaining([
        expect.objectContaining({ current: true, address: "192.0.2.1" }),
        expect.objectContaining({ current: false, address: "192.0.2.9", how: "passkey" }),
      ]),
      passkeys: [expect.objectContaining({ id: person.passkey.id, unlocksItems: true })],
    });
    expect(JSON.stringify(body)).not.toMatch(/ciphertext|publicKey|refreshToken|accessToken/);
  });

  it("ends software: its access token is refused within 1 s, and it gets no other", async () => {
    const { site, person, browser } = await setUp();
    const agent = await approveAgent(site, person.accountId);
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeDefined();
    expect(await end(browser, { kind: "software", id: agent.familyId })).toMatchObject({ status: 200 });
    expect((await browser.send("/account/api/delegations")).body).toEqual({ delegations: [] });
    site.pass(1_000);
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeUndefined();
    expect(await agent.refresh()).toMatchObject({ ok: false });
  });

  it("ends another session, and removes a passkey", async () => {
    const { site, person, browser } = await setUp();
    const phone = site.openBrowser();
    await person.signIn(phone);
    const { sessions } = await list(browser);
    const id = sessions.find(({ current }: { readonly current: boolean }) => !current).id;
    await end(browser, { kind: "session", id });
    expect(await phone.send("/account/api/access")).toMatchObject({ status: 401, body: { reason: "SIGNED_OUT" } });
    expect(await end(browser, { kind: "passkey", id: person.passkey.id })).toMatchObject({ status: 200 });
    expect(await list(browser)).toMatchObject({ passkeys: [] });
    const again = await end(browser, { kind: "passkey", id: person.passkey.id });
    expect(again).toMatchObject({ status: 409, body: { reason: "ACCOUNT_CHANGED" } });
  });

  it("renames a passkey, which still signs in", async () => {
    const { site, person, browser } = await setUp();
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

  it("of another person is neither listed nor ended", async () => {
    const { site, person, browser } = await setUp();
    const agent = await approveAgent(site, person.accountId);
    const other = await signUpPerson(site);
    expect(await list(other.browser)).toMatchObject({ sessions: [{ current: true }] });
    const { sessions } = await list(browser);
    await end(other.browser, { kind: "software", id: agent.familyId });
    await end(other.browser, { kind: "session", id: sessions[0].id });
    await end(other.browser, { kind: "passkey", id: person.passkey.id });
    expect(await agent.refresh()).toMatchObject({ ok: true });
    expect(await list(browser)).toMatchObject({ sessions: [{}], passkeys: [{}] });
  });
});

describe("the endpoints of the page", () => {
  const changes = [
    ["access/end", { kind: "session", id: "x" }],
    ["passkeys/rename", { id: "x", name: "y" }],
    ["certificates/remove", { signingKey: "x" }],
  ] as const;

  it.each(changes)("%s asks for a new sign-in after five minutes", async (path, json) => {
    const { site, browser } = await setUp();
    site.pass(5 * minute);
    const sent = await browser.send(`/account/api/${path}`, { json });
    expect(sent).toMatchObject({ status: 401, body: { reason: "SIGN_IN_AGAIN" } });
    expect(await browser.send("/account/api/access")).toMatchObject({ status: 200 });
  });

  it.each(changes)("%s rejects the page of another origin, and strangers", async (path, json) => {
    const { site, browser } = await setUp();
    const headers = { Origin: "https://attacker.example", "Sec-Fetch-Site": "cross-site" };
    expect(await browser.send(`/account/api/${path}`, { json, headers })).toMatchObject({ status: 403 });
    const stranger = site.openBrowser();
    expect(await stranger.send(`/account/api/${path}`, { json })).toMatchObject({ status: 401 });
    expect(await stranger.send("/account/api/access")).toMatchObject({ status: 401 });
  });

  it.each([{}, { kind: "account", id: "x" }, { kind: "session", id: "" }, []])("reject the body %j", async (json) => {
    const { browser } = await setUp();
    expect(await end(browser, json)).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
  });
});
