import { execFileSync } from "node:child_process";
import { StorageError } from "@platform-rpc/server";
import { describe, expect, it } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { type AccountsSite, openSite, siteOrigin } from "../../src/testing/accounts-site.js";
import { begin, makeRecovery, signUpPerson, signUpWithoutCode } from "../../src/testing/person.js";
import { createSoftwarePasskey, type PasskeyChanges } from "../../src/testing/software-passkey.js";

const finish = "/account/api/sign-up/finish";

/** Begins a sign-up in a new browser, whose passkey answers with something changed. */
async function beginSignUp(changes: PasskeyChanges = {}) {
  const site = await openSite();
  const browser = site.openBrowser();
  const { accountId, passkey } = await begin(browser, "sign-up", { displayName: "Ada" });
  const response = createSoftwarePasskey(siteOrigin).create(passkey, changes);
  const { recovery } = await makeRecovery(accountId);
  const json = { passkey: { response, name: "Laptop" }, recovery };
  return { site, browser, accountId, response, recovery, json, send: () => browser.send(finish, { json }) };
}

async function vaultsOf({ own, secrets }: AccountsSite, principalId: string) {
  const call = ownCall("test", secrets);
  const actor = { ...call.actor, tenantId: "acme", principalId };
  return (await own.listVaults({ limit: 9 }, { ...call, actor })).vaults;
}

describe("sign-up", () => {
  it("creates an active principal with a personal vault, and signs the person in", async () => {
    const site = await openSite();
    const { accountId, browser } = await signUpPerson(site);
    expect(await browser.send("/device")).toMatchObject({ status: 200, body: expect.stringContaining("Ada") });
    expect(await vaultsOf(site, accountId)).toMatchObject([{ vaultId: accountId, role: "owner" }]);
    expect(site.events).toEqual([
      { subject: `account:${accountId}`, event: "created", by: accountId },
      {
        subject: `account:${accountId}`,
        event: "signed in with passkey: A browser on an unknown system, for the first time",
        by: accountId,
      },
    ]);
  });

  it("works without a passkey: the recovery code signs in", async () => {
    const { browser, recovery } = await beginSignUp();
    expect(await browser.send(finish, { json: { recovery } })).toMatchObject({ status: 200 });
    expect((await browser.send("/account/api/access")).body).toMatchObject({ recoveryCode: true, passkeys: [] });
  });

  it("with a passkey that unlocks the keys needs no recovery code yet", async () => {
    const site = await openSite();
    const { browser } = await signUpWithoutCode(site);
    expect((await browser.send("/device")).body).toContain("You have not stored a recovery code.");
    // What a person sees who reloads the page of the recovery code.
    expect(await browser.send("/sign-up")).toMatchObject({ status: 303, location: "/console" });
  });

  it("creates no account whose keys nothing unlocks", async () => {
    const { browser, response } = await beginSignUp();
    for (const json of [{}, { passkey: { response, name: "Key without the PRF extension" } }]) {
      expect(await browser.send(finish, { json })).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
    }
  });

  it("leaves nothing if it fails, and the same passkey and code can then be sent again", async () => {
    const { site, accountId, recovery, send } = await beginSignUp();
    const call = ownCall("test", site.secrets);
    const left = async () => [
      await site.own.getRecord({ tenantId: "acme", collection: "account", key: accountId }, call),
      await site.own.getRecord({ tenantId: "acme", collection: "recovery-locator", key: recovery.locator }, call),
      ...(await site.own.listRecords({ tenantId: "acme", collection: "session", principalId: accountId, limit: 9 })),
      ...(await vaultsOf(site, accountId)),
    ];
    site.breakStorage(new StorageError("unavailable"), "putRecords");
    expect(await send()).toMatchObject({ status: 503 });
    expect(await left()).toEqual([undefined, undefined]);
    site.repairStorage();
    expect(await send()).toMatchObject({ status: 200 });
    expect(await left()).toEqual([
      expect.anything(),
      expect.anything(),
      expect.objectContaining({ collection: "session" }),
      expect.objectContaining({ vaultId: accountId }),
    ]);
  });

  it("with an account that is too large leaves nothing", async () => {
    const { site, accountId, response, send } = await beginSignUp();
    response.response.transports = Array.from({ length: 25_000 }, () => "usb");
    expect(await send()).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
    expect(await vaultsOf(site, accountId)).toEqual([]);
  });

  it.each<[string, PasskeyChanges]>([
    ["another origin", { origin: "https://evil.example" }],
    ["another challenge", { challenge: "YW5vdGhlcg" }],
    ["a user who is not verified", { userVerified: false }],
    ["another relying party", { rpId: "evil.example" }],
  ])("rejects a passkey with %s", async (_, changes) => {
    const { browser, send } = await beginSignUp(changes);
    expect(await send()).toMatchObject({ status: 400, body: { reason: "PASSKEY_REJECTED" } });
    expect(browser.cookies.has("__Host-session")).toBe(false);
  });

  it("rejects a passkey with certificates, whose revocation lists the server would fetch", async () => {
    const subject = [
      "-subj",
      "/C=US/O=Acme/OU=Authenticator Attestation/CN=Key",
      "-addext",
      "basicConstraints=CA:FALSE",
    ];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"];
    const certificate = execFileSync("openssl", ["req", "-x509", ...key, "-days", "1", ...subject], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { send } = await beginSignUp({ certificate });
    expect(await send()).toMatchObject({ status: 400, body: { reason: "PASSKEY_REJECTED" } });
  });

  it("happens once for each challenge", async () => {
    const { site, browser, recovery, send } = await beginSignUp();
    const copy = site.openBrowser({ cookies: browser.cookies });
    await send();
    expect(await copy.send(finish, { json: { recovery } })).toMatchObject({ body: { reason: "CEREMONY_EXPIRED" } });
  });

  it("rejects a name that looks like another", async () => {
    const site = await openSite();
    const sent = await site.openBrowser().send("/account/api/sign-up/begin", { json: { displayName: "a\u202eb" } });
    expect(sent).toMatchObject({ status: 400, body: { reason: "NAME_NOT_ALLOWED" } });
  });

  it("rejects the recovery code of another account", async () => {
    const site = await openSite();
    const { recovery } = await signUpPerson(site);
    const browser = site.openBrowser();
    await begin(browser, "sign-up", { displayName: "Eve" });
    expect(await browser.send(finish, { json: { recovery } })).toMatchObject({
      status: 409,
      body: { reason: "ACCOUNT_CHANGED" },
    });
  });

  it("escapes the name in pages", async () => {
    const site = await openSite();
    const browser = site.openBrowser();
    const displayName = '<img src=x onerror="alert(1)">';
    const { accountId } = await begin(browser, "sign-up", { displayName });
    await browser.send(finish, { json: { recovery: (await makeRecovery(accountId)).recovery } });
    const { body } = await browser.send("/device");
    expect(body).not.toContain("<img src=x");
    expect(body).toContain("&lt;img");
  });

  it("is limited to 10 accounts at once for a network, before the browser creates a passkey", async () => {
    const { site, send } = await beginSignUp();
    for (let account = 1; account < 10; account += 1) await signUpPerson(site);
    const refused = await site.openBrowser().send("/account/api/sign-up/begin", { json: { displayName: "Eve" } });
    expect(refused).toMatchObject({ status: 429, body: { reason: "RATE_LIMITED" } });
    // Who has begun can finish.
    expect(await send()).toMatchObject({ status: 200 });
    await signUpPerson(site, site.openBrowser({ address: "198.51.100.1" }));
  });

  it("is off with ACCOUNTS_SIGN_UP=off, and the page says whom to ask", async () => {
    const site = await openSite({ signUp: false });
    const browser = site.openBrowser();
    expect(await browser.send("/sign-up")).toMatchObject({
      status: 403,
      body: expect.stringContaining("administrator"),
    });
    for (const path of ["begin", "finish"]) {
      const sent = await browser.send(`/account/api/sign-up/${path}`, { json: { displayName: "Ada" } });
      expect(sent).toMatchObject({ status: 403, body: { reason: "SIGN_UP_OFF" } });
    }
  });
});
