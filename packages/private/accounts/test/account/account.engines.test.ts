import { StorageError } from "@platform-rpc/server";
import { describe, expect, it } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { openSite, siteOrigin } from "../../src/testing/accounts-site.js";
import {
  begin,
  makeRecovery,
  openSiteOfPerson,
  signUpPerson,
  signUpWithoutCode,
  undoCodeChange,
} from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";
import { createSoftwarePasskey } from "../../src/testing/software-passkey.js";

async function signedUp() {
  const { site, person } = await openSiteOfPerson();
  return { site, ...person };
}

const removePasskey = (browser: SiteBrowser, id: string) =>
  browser.send("/account/api/access/end", { json: { kind: "passkey", id } });

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
    expect((await browser.send("/account/api/access")).body).toMatchObject({
      passkeys: [{ unlocksItems: true }, { name: "Phone", unlocksItems: false }],
    });
  });

  it("can be removed, and no longer signs in; the recovery code does", async () => {
    const { site, accountId, browser, passkey, signIn, recover } = await signedUp();
    expect(await removePasskey(browser, passkey.id)).toMatchObject({ status: 200 });
    expect(await removePasskey(browser, passkey.id)).toMatchObject({
      status: 409,
      body: { reason: "ACCOUNT_CHANGED" },
    });
    expect(site.events).toEqual([{ subject: `passkey:${accountId}/${passkey.id}`, event: "removed", by: accountId }]);
    expect(await signIn(site.openBrowser())).toMatchObject({ status: 401 });
    expect(await recover(site.openBrowser())).toMatchObject({ status: 200 });
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

const beginCode = "/account/api/recovery-code/begin";
const finishCode = "/account/api/recovery-code/finish";

describe("a new recovery code", () => {
  it("replaces the old one", async () => {
    const { site, accountId, browser, recover, recoveryKeys } = await signedUp();
    const { recovery } = await makeRecovery(accountId);
    expect((await browser.send(beginCode, { json: { recovery } })).status).toBe(200);
    expect(site.events).toEqual([]);
    // Until the person confirms that they stored the new one.
    expect(await recover(site.openBrowser())).toMatchObject({ status: 200 });
    site.events.length = 0;
    expect((await browser.send(finishCode, { json: {} })).status).toBe(200);
    expect(site.events).toEqual([{ subject: `account:${accountId}`, event: "recovery code replaced", by: accountId }]);
    expect(await recover(site.openBrowser())).toMatchObject({ status: 401 });
    expect(await recover(site.openBrowser(), { locator: recovery.locator })).toMatchObject({ status: 401 });
    const call = ownCall("test", site.secrets);
    const locator = (key: string) =>
      site.own.getRecord({ tenantId: "acme", collection: "recovery-locator", key }, call);
    expect(await locator(recoveryKeys.locator)).toBeUndefined();
    expect(await locator(recovery.locator)).toBeDefined();
  });

  it("of another account is rejected", async () => {
    const { site, browser } = await signedUp();
    const { recovery } = await signUpPerson(site);
    await browser.send(beginCode, { json: { recovery } });
    const sent = await browser.send(finishCode, { json: {} });
    expect(sent).toMatchObject({ status: 409, body: { reason: "ACCOUNT_CHANGED" } });
  });

  it("can be confirmed for an hour, once, by the person who asked for it", async () => {
    const { site, accountId, browser } = await signedUp();
    const { recovery } = await makeRecovery(accountId);
    const confirm = (by = browser) => by.send(finishCode, { json: {} });
    expect(await confirm()).toMatchObject({ status: 400, body: { reason: "CEREMONY_EXPIRED" } });
    await browser.send(beginCode, { json: { recovery } });
    const other = await signUpPerson(site);
    other.browser.cookies.set("__Host-ceremony", browser.cookies.get("__Host-ceremony") ?? "");
    expect(await confirm(other.browser)).toMatchObject({ status: 400, body: { reason: "CEREMONY_EXPIRED" } });
    // Printing takes longer than the 5 minutes in which the person may begin.
    for (let minute = 0; minute < 50; minute += 10) {
      site.pass(10 * 60_000);
      await browser.send("/console");
    }
    expect((await confirm()).status).toBe(200);
    expect(await confirm()).toMatchObject({ status: 400, body: { reason: "CEREMONY_EXPIRED" } });
  });

  it("is the first one of a person who signed up with a passkey, whom every page reminds until then", async () => {
    const site = await openSite();
    const { accountId, browser } = await signUpWithoutCode(site);
    const reminds = async (path: string) =>
      String((await browser.send(path)).body).includes("You have not stored a recovery code.");
    for (const path of ["/device", "/sign-in?again="]) expect(await reminds(path)).toBe(true);
    expect((await browser.send("/account/api/console")).body).toMatchObject({ recoveryCodeMissing: true });
    expect((await browser.send("/account/api/access")).body).toMatchObject({ recoveryCode: false });
    const { recovery } = await makeRecovery(accountId);
    await browser.send(beginCode, { json: { recovery } });
    expect(await reminds("/device")).toBe(true);
    await browser.send(finishCode, { json: {} });
    for (const path of ["/device", "/sign-in?again="]) expect(await reminds(path)).toBe(false);
    expect((await browser.send("/account/api/console")).body).toMatchObject({ recoveryCodeMissing: false });
    expect(site.events).toContainEqual({
      subject: `account:${accountId}`,
      event: "recovery code created",
      by: accountId,
    });
  });
});

it("after a restore that undid a change of it, every page asks for the recovery code, which confirms itself", async () => {
  const { site, accountId, browser, signIn, recover } = await signedUp();
  await undoCodeChange(site, accountId);
  expect((await signIn()).status).toBe(200);
  const confirmPage = "/account/confirm-recovery-code";
  for (const path of ["/account", "/console", "/device"]) {
    expect(await browser.send(path)).toMatchObject({ status: 303, location: confirmPage });
  }
  expect((await browser.send(confirmPage)).body).toContain("was restored to an earlier point in time");
  expect((await recover()).status).toBe(200);
  const confirmed = { subject: `account:${accountId}`, event: "recovery code confirmed" };
  expect(site.events).toContainEqual(expect.objectContaining(confirmed));
  for (const path of ["/console", "/device"]) expect((await browser.send(path)).status).toBe(200);
});

it("a passkey is not removed if nothing else unlocks the person's items", async () => {
  const site = await openSite();
  const { accountId, browser, passkey } = await signUpWithoutCode(site);
  expect(await removePasskey(browser, passkey.id)).toMatchObject({
    status: 409,
    body: { reason: "RECOVERY_CODE_NEEDED" },
  });
  const { recovery } = await makeRecovery(accountId);
  await browser.send(beginCode, { json: { recovery } });
  await browser.send(finishCode, { json: {} });
  expect(await removePasskey(browser, passkey.id)).toMatchObject({ status: 200 });
});

it("a passkey that was begun in time is stored also if the device takes longer, and after the storage failed", async () => {
  const { site, browser } = await signedUp();
  const passkey = createSoftwarePasskey(siteOrigin);
  const { passkey: options } = await begin(browser, "passkeys", {});
  const json = { response: passkey.create(options), name: "Phone" };
  site.pass(4 * 60_000);
  site.breakStorage(new StorageError("unavailable"), "putRecords");
  expect(await browser.send("/account/api/passkeys/finish", { json })).toMatchObject({ status: 503 });
  site.repairStorage();
  expect(await browser.send("/account/api/passkeys/finish", { json })).toMatchObject({ status: 200 });
});
