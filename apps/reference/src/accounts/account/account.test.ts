import { describe, expect, it, onTestFinished } from "vitest";
import { createAccountsSite, type SiteBrowser, siteOrigin } from "../testing/accounts-site.js";
import { begin, makeRecovery, signUpPerson } from "../testing/person.js";
import { createSoftwarePasskey } from "../testing/software-passkey.js";

async function signedUp() {
  const site = await createAccountsSite();
  onTestFinished(site.close);
  const person = await signUpPerson(site);
  site.events.length = 0;
  return { site, ...person };
}

/** Adds a passkey in a session. */
async function addPasskey(browser: SiteBrowser, name: string) {
  const passkey = createSoftwarePasskey(siteOrigin);
  const { passkey: options } = await begin(browser, "passkeys", {});
  const json = { response: passkey.create(options), name };
  return { passkey, sent: await browser.send("/account/api/passkeys/finish", { json }) };
}

describe("a passkey", () => {
  it("can be added, and signs in", async () => {
    const { site, accountId, browser } = await signedUp();
    const { passkey, sent } = await addPasskey(browser, "Phone");
    expect(sent.status).toBe(200);
    expect(site.events).toEqual([{ subject: `passkey:${accountId}/${passkey.id}`, event: "added", by: accountId }]);
    const other = site.openBrowser();
    const { passkey: options } = await begin(other, "sign-in", { again: false });
    const json = { how: "passkey", response: passkey.use(options) };
    const signedIn = await other.send("/account/api/sign-in/finish", { json });
    // Without the PRF extension, it unlocks no keys.
    expect(signedIn).toMatchObject({ status: 200, body: { accountId } });
    expect(signedIn.body).not.toHaveProperty("wrappedKeys");
    expect((await browser.send("/account")).body).toContain("cannot unlock items");
  });

  it("can be removed, and no longer signs in; the recovery code does", async () => {
    const { site, accountId, browser, passkey, signIn, recover } = await signedUp();
    await browser.send("/account/passkeys/remove", { form: { id: passkey.id } });
    expect(site.events).toEqual([{ subject: `passkey:${accountId}/${passkey.id}`, event: "removed", by: accountId }]);
    expect(await signIn(site.openBrowser())).toMatchObject({ status: 401 });
    expect(await recover(site.openBrowser())).toMatchObject({ status: 200 });
  });

  it("of another account cannot be removed", async () => {
    const { site, signIn, passkey } = await signedUp();
    const other = await signUpPerson(site);
    await other.browser.send("/account/passkeys/remove", { form: { id: passkey.id } });
    expect(await signIn(site.openBrowser())).toMatchObject({ status: 200 });
  });

  it("is rejected as the 11th of an account", async () => {
    const { browser } = await signedUp();
    for (let count = 2; count <= 10; count += 1) expect((await addPasskey(browser, "Key")).sent.status).toBe(200);
    await expect(addPasskey(browser, "Key")).rejects.toThrow("TOO_MANY_PASSKEYS");
  });

  it("cannot be added with the challenge of a session of another person", async () => {
    const { site, browser } = await signedUp();
    const other = await signUpPerson(site);
    const { passkey: options } = await begin(browser, "passkeys", {});
    other.browser.cookies.set("__Host-ceremony", browser.cookies.get("__Host-ceremony") ?? "");
    const json = { response: createSoftwarePasskey(siteOrigin).create(options), name: "Key" };
    const sent = await other.browser.send("/account/api/passkeys/finish", { json });
    expect(sent).toMatchObject({ status: 400, body: { reason: "CEREMONY_EXPIRED" } });
  });
});

describe("a new recovery code", () => {
  it("replaces the old one", async () => {
    const { site, accountId, browser, recover, recoveryKeys } = await signedUp();
    const { recovery } = await makeRecovery(accountId);
    const sent = await browser.send("/account/api/recovery-code", { json: { recovery } });
    expect(sent.status).toBe(200);
    expect(site.events).toEqual([{ subject: `account:${accountId}`, event: "recovery code replaced", by: accountId }]);
    expect(await recover(site.openBrowser())).toMatchObject({ status: 401 });
    expect(await recover(site.openBrowser(), { locator: recovery.locator })).toMatchObject({ status: 401 });
    const call = {
      actor: { tenantId: "", principalId: "", oauthClientId: "", tokenId: "", operation: "", requestId: "" },
      wanted: () => true,
    };
    const locator = (key: string) => site.own.getRecord({ collection: "recovery-locator", key }, call);
    expect(await locator(recoveryKeys.locator)).toBeUndefined();
    expect(await locator(recovery.locator)).toBeDefined();
  });

  it("of another account is rejected", async () => {
    const { site, browser } = await signedUp();
    const { recovery } = await signUpPerson(site);
    const sent = await browser.send("/account/api/recovery-code", { json: { recovery } });
    expect(sent).toMatchObject({ status: 409, body: { reason: "ACCOUNT_CHANGED" } });
  });
});
