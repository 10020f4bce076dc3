import { StorageError } from "@platform-rpc/server";
import { describe, expect, it } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { approveAgent, approvedCode, exchangeForAgent } from "../../src/testing/approve-agent.js";
import { content } from "../../src/testing/item-content.js";
import { openSiteOfPerson, signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";
import { createOwnVaults } from "../../src/vaults/own-vaults.js";

const tenantId = "acme";
const path = "/account/api/person/delete";
const deleted = { status: 200, body: { deleted: true } };
const signedOut = { status: 401, body: { reason: "SIGNED_OUT" } };

async function setUp() {
  const { site, person } = await openSiteOfPerson();
  const { accountId, browser } = person;
  const { own, secrets } = site;
  const call = ownCall("test", secrets);
  const put = (itemId: string, vaultId = accountId) =>
    own.putItem({ access: "administrator", tenantId, vaultId, itemId, baseVersion: 0, ...content }, call);
  return {
    ...{ site, person, browser, call, put },
    remove: (on: SiteBrowser = browser) => on.send(path, { json: { accountId } }),
    /** The states of the items of a vault, by their ids. */
    async states(vaultId = accountId) {
      const query = { access: "administrator", tenantId, vaultId, afterSequence: 0, limit: 1000 } as const;
      const page = await own.listChanges(query, call);
      if (!page.ok) throw new Error(page.reason);
      return Object.fromEntries(page.items.map(({ itemId, state }) => [itemId, state]));
    },
    /** What is stored of the person, also what has expired. */
    async stored(collection: string) {
      const listed = await own.listRecords({ collection, tenantId, principalId: accountId, limit: 100 });
      return listed.map(({ value }) => value);
    },
  };
}

describe("a deleted account", () => {
  it("leaves no key, locator or session, and is in the audit trail", async () => {
    const { site, person, browser, remove, stored } = await setUp();
    const { accountId } = person;
    await person.signIn(site.openBrowser());
    site.events.length = 0;
    const response = await remove();
    expect(response).toMatchObject(deleted);
    expect(response.headers.get("Clear-Site-Data")).toBe('"storage"');
    expect(browser.cookies.has("__Host-session")).toBe(false);
    for (const [collection, count] of [
      ["account", 1],
      ["recovery-locator", 1],
      ["session", 2],
    ] as const) {
      expect(await stored(collection)).toEqual(Array.from({ length: count }, () => "{}"));
    }
    const ended = { subject: expect.stringContaining(`session:${accountId}/`), event: "ended", by: accountId };
    expect(site.events).toEqual([{ subject: `account:${accountId}`, event: "deleted", by: accountId }, ended, ended]);
  });

  it("takes the vaults with it that nobody else can read, with their keys and names", async () => {
    const { site, person, browser, remove, put, states, stored } = await setUp();
    const { accountId } = person;
    const call = ownCall("test", site.secrets);
    const ada = { ...call, actor: { ...call.actor, tenantId, principalId: accountId } };
    const vaults = createOwnVaults({ own: site.own, operations: site.own, clock: site.clock });
    const [family, key] = [crypto.randomUUID(), { keyId: crypto.randomUUID(), wrappedKey: "a2V5" }];
    await vaults.create({ vaultId: family, key, encryptedName: "bmFtZQ" }, ada);
    await vaults.createKey({ key }, ada);
    await site.own.createVault({ tenantId, vaultId: "team", retentionDays: 30 }, call);
    await site.own.setVaultMember({ tenantId, vaultId: "team", principalId: accountId, role: "owner" }, call);
    const sealed = { version: 1, nonce: "A".repeat(16), ciphertext: "A".repeat(260), signingPublicKey: "A".repeat(43) };
    await browser.send("/account/api/member-keys", { json: { memberKeys: sealed } });
    for (const vaultId of [accountId, family, "team"]) await put("i-1", vaultId);
    expect(await remove()).toMatchObject(deleted);
    expect(await Promise.all([accountId, family, "team"].map((vaultId) => states(vaultId)))).toEqual([
      { "i-1": "deleted" },
      { "i-1": "deleted" },
      { "i-1": "live" },
    ]);
    expect(await vaults.readKey(family, ada)).toBeUndefined();
    expect(await vaults.readKey(accountId, ada)).toBeUndefined();
    expect([await stored("member-keys"), await stored("vault-creation")]).toEqual([["{}"], ["{}"]]);
  });

  it("is signed out everywhere: a second request with the same cookie is refused", async () => {
    const { site, person, browser, remove } = await setUp();
    const phone = site.openBrowser();
    await person.signIn(phone);
    const copy = site.openBrowser({ cookies: browser.cookies });
    expect(await remove()).toMatchObject(deleted);
    expect(await remove(copy)).toMatchObject(signedOut);
    expect(await remove(phone)).toMatchObject(signedOut);
    expect(await browser.send("/account/api/session")).toMatchObject(signedOut);
  });

  it("signs nobody in: a sign-in fails in the same way as for an unknown account", async () => {
    const { site, person, remove } = await setUp();
    expect(await remove()).toMatchObject(deleted);
    site.events.length = 0;
    const unknown = await person.signIn(site.openBrowser(), { accountId: "0192-nobody" });
    expect(unknown).toMatchObject({ status: 401, body: { reason: "SIGN_IN_FAILED" } });
    for (const failed of [await person.signIn(site.openBrowser()), await person.recover(site.openBrowser())]) {
      expect(failed).toMatchObject({ status: 401, body: unknown.body });
    }
    expect(site.events).toEqual([]);
  });

  it("gives no software access: tokens, refresh tokens and approved codes stop working within 1 s", async () => {
    const { site, person, remove } = await setUp();
    const bounded = await approveAgent(site, person.accountId, { maxDeletions: 10 });
    const exchanged = await exchangeForAgent(site, person.accountId);
    const { deviceCode, asAgent } = await approvedCode(site, person.accountId);
    const tokens = [bounded.accessToken, exchanged.accessToken];
    for (const token of tokens) expect(await site.authenticator.authenticate(token)).toBeDefined();
    expect(await remove()).toMatchObject(deleted);
    site.pass(1_000);
    for (const token of tokens) expect(await site.authenticator.authenticate(token)).toBeUndefined();
    expect(await bounded.refresh()).toMatchObject({ ok: false });
    const redeemed = await site.own.redeemDeviceCode(
      { deviceCode, idempotencyKey: undefined, proofKeyId: "" },
      asAgent,
    );
    expect(redeemed).not.toMatchObject({ status: "approved" });
  });

  it("stays deleted if an administrator activates its principal again", async () => {
    const { site, person, remove, call } = await setUp();
    const { accountId } = person;
    const agent = await approveAgent(site, accountId);
    const exchanged = await exchangeForAgent(site, accountId);
    expect(await remove()).toMatchObject(deleted);
    await site.own.setPrincipal({ tenantId, principalId: accountId, active: true }, call);
    site.pass(1_000);
    for (const { accessToken } of [agent, exchanged]) {
      expect(await site.authenticator.authenticate(accessToken)).toBeUndefined();
    }
    expect(await agent.refresh()).toMatchObject({ ok: false });
    expect(await person.recover(site.openBrowser())).toMatchObject({ status: 401 });
  });
});

describe("deleting an account", () => {
  it("with many items takes several requests, and the account exists until the last one", async () => {
    const { browser, remove, put, states } = await setUp();
    for (let item = 0; item < 250; item += 1) await put(`i-${item}`);
    expect(await remove()).toMatchObject({ status: 200, body: { deleted: false } });
    expect(await browser.send("/account/api/access")).toMatchObject({ status: 200 });
    expect(await remove()).toMatchObject(deleted);
    expect(new Set(Object.values(await states()))).toEqual(new Set(["deleted"]));
  });

  it("that was interrupted can be started again: the commit has all of the rest, or nothing", async () => {
    const { site, person, browser, remove, put, states } = await setUp();
    await put("i-1");
    site.breakStorage(new StorageError("unavailable"), "putRecords");
    expect(await remove()).toMatchObject({ status: 503 });
    site.repairStorage();
    expect(await states()).toEqual({ "i-1": "deleted" });
    expect(await person.signIn(site.openBrowser())).toMatchObject({ status: 200 });
    expect(await browser.send("/account/api/access")).toMatchObject({ status: 200 });
    expect(await remove()).toMatchObject(deleted);
  });

  it("does nothing if somebody else has signed in since the page asked", async () => {
    const { site, remove } = await setUp();
    const other = await signUpPerson(site);
    expect(await remove(other.browser)).toMatchObject(signedOut);
    expect(await other.browser.send("/account/api/access")).toMatchObject({ status: 200 });
  });

  it.each([{}, { accountId: "" }, { accountId: 1 }, { accountId: "a".repeat(129) }])(
    "rejects the request %j",
    async (json) => {
      const { browser } = await setUp();
      expect(await browser.send(path, { json })).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
    },
  );
});

describe("the page after a deletion", () => {
  it("says that the account is deleted, and a person who is signed in gets their vault instead", async () => {
    const { site, browser } = await setUp();
    expect(await site.openBrowser().send("/account/deleted")).toMatchObject({
      status: 200,
      body: expect.stringContaining("<h1>Your account is deleted</h1>"),
    });
    expect(await browser.send("/account/deleted")).toMatchObject({ status: 303, location: "/console" });
  });
});
