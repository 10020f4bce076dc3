import { createHash, randomBytes, randomUUID } from "node:crypto";
import { deviceGrant, post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { boundsForm } from "@platform-rpc/accounts/testing/bounds-form";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser, type SiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { afterAll, describe, expect, it } from "vitest";
import { call, errorIn } from "../../../src/testing/call.js";
import { startTestApp } from "../../../src/testing/start-test-app.js";
import { clientId, deleteScope, deletion, tenantId } from "../oauth/testing/oauth-app.js";

const redirectUri = "http://127.0.0.1/callback";
const client = { tenantId, oauthClientId: clientId, name: "Agent", allowedOperations: [deletion], enabled: true };

const app = await startTestApp({ ACCOUNTS_TENANT: tenantId, RATE_LIMITS: "off" });
afterAll(() => app.end());
const { accountsUrl: accounts = "", pagesUrl: pages = "" } = app;

const setClient = (changes: object = {}) =>
  app.admin("AccessAdminService/SetOauthClient", { ...client, redirectUris: [redirectUri], ...changes });
await setClient();

/** Creates a vault of a person. */
async function newVault(principalId: string): Promise<string> {
  const vaultId = `v-${randomUUID()}`;
  await app.admin("VaultAdminService/CreateVault", { tenantId, vaultId });
  await app.admin("VaultAdminService/SetVaultMember", { tenantId, vaultId, principalId, role: "owner" });
  return vaultId;
}

/** Signs a person up, who has a vault, and a second one. */
async function signUp() {
  const { browser, accountId } = await signUpPerson({ openBrowser: () => openSiteBrowser(pages) });
  return { browser, accountId, second: await newVault(accountId) };
}

/** Creates an item in a vault, and deletes it with a token. */
async function removeItem(vaultId: string, token: string) {
  const itemId = `i-${randomUUID()}`;
  await app.admin("VaultAdminService/PutItem", { tenantId, vaultId, itemId, baseVersion: 0, ...content });
  return call(app.publicUrl, deletion, { vaultId, itemId, baseVersion: 1 }, token);
}

/** A request for an approval: its page, the answer to it, and the tokens. */
interface Asking {
  /** Returns the page. */
  open(): Promise<string>;
  answer(form: Readonly<Record<string, string | readonly string[]>>): ReturnType<SiteBrowser["send"]>;
  collect(): ReturnType<typeof post>;
}

/** Returns the person to whom a page was shown. */
const personIn = (page: string): string => /name="person" value="([^"]*)"/.exec(page)?.[1] ?? "";

/** Asks for an approval by each of the ways. */
const ways = {
  async device(browser: SiteBrowser, details: Readonly<Record<string, string>>): Promise<Asking> {
    const asked = { client_id: clientId, scope: deleteScope, ...details };
    const started = await post(`${accounts}/oauth/device_authorization`, asked);
    const [user_code, device_code] = [textOf(started, "user_code"), textOf(started, "device_code")];
    const open = async () => String((await browser.send("/device", { form: { user_code } })).body);
    return {
      open,
      answer: async (form) =>
        browser.send("/device/decision", { form: { user_code, person: personIn(await open()), ...form } }),
      collect: () => post(`${accounts}/oauth/token`, { grant_type: deviceGrant, client_id: clientId, device_code }),
    };
  },
  async code(browser: SiteBrowser, details: Readonly<Record<string, string>>): Promise<Asking> {
    const code_verifier = randomBytes(32).toString("base64url");
    const request = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
      code_challenge_method: "S256",
      scope: `${deleteScope} offline_access`,
      ...details,
    };
    const path = `/oauth/authorize?${new URLSearchParams(request)}`;
    let code = "";
    return {
      open: async () => String((await browser.send(path)).body),
      async answer(form) {
        const person = personIn(String((await browser.send(path)).body));
        const answered = await browser.send(path, { form: { person, ...form } });
        code = new URL(answered.location ?? accounts).searchParams.get("code") ?? "";
        return answered;
      },
      collect() {
        const redeem = { grant_type: "authorization_code", client_id: clientId, redirect_uri: redirectUri };
        return post(`${accounts}/oauth/token`, { ...redeem, code, code_verifier });
      },
    };
  },
};

const limits = (detail: object) => ({ authorization_details: JSON.stringify([{ type: "vault", ...detail }]) });
const approve = { decision: "approve", scope: deleteScope };

describe.each(Object.entries(ways))("an approval by %s", (_, ask) => {
  it("has the vault and the number of deletions that the person has chosen on the page", async () => {
    const { browser, accountId, second } = await signUp();
    const asking = await ask(browser, {});
    const page = await asking.open();
    for (const vault of [accountId, second])
      expect(page).toMatch(new RegExp(`value="${vault}" id="vault-\\d" checked`));
    expect(page).toContain('name="deletions" value="25"');
    await asking.answer({ ...approve, ...boundsForm(Date.now(), accountId), deletions: "1" });
    const tokens = await asking.collect();
    const detail = { type: "vault", vaults: [accountId], max_deletions: 1, expires_at: expect.any(Number) };
    expect(tokens.json).toMatchObject({ authorization_details: [detail] });
    const token = textOf(tokens, "access_token");
    expect(errorIn(await removeItem(second, token))).toMatchObject({ status: 404, reason: "VAULT_NOT_FOUND" });
    expect((await removeItem(accountId, token)).status).toBe(200);
    expect(errorIn(await removeItem(accountId, token))).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });
  });
});

// Both ways show the same page, and read its answer alike.
describe("an approval", () => {
  const ask = ways.code;

  it("is proposed and granted no wider than the software asks for", async () => {
    const { browser, second } = await signUp();
    const expires_at = Math.floor(Date.now() / 1000) + 3600;
    const asked = { vaults: [second, "of-nobody"], actions: ["delete"], max_deletions: 3, expires_at };
    const asking = await ask(browser, limits(asked));
    const page = await asking.open();
    expect(page.match(/name="vault"/g)).toHaveLength(1);
    expect(page).toContain('name="deletions" value="3" min="0" max="3"');
    expect(page).toContain("The software limits itself to this: delete items.");
    const until = /name="until" value="([^"]*)"/.exec(page)?.[1] ?? "";
    await asking.answer({ ...approve, vault: second, deletions: "2", until });
    expect((await asking.collect()).json).toMatchObject({
      authorization_details: [{ type: "vault", vaults: [second], actions: ["delete"], max_deletions: 2, expires_at }],
    });
  });

  it("of a vault of somebody else is rejected like that of a vault that does not exist", async () => {
    const { browser } = await signUp();
    const foreign = await newVault((await signUp()).accountId);
    const asking = await ask(browser, {});
    const pages = [];
    for (const vault of [foreign, `v-${randomUUID()}`]) {
      const { status, body } = await asking.answer({ ...approve, ...boundsForm(Date.now(), vault) });
      expect(status).toBe(400);
      pages.push(/<fieldset>\s*<legend>In these vaults.*?<\/fieldset>/s.exec(String(body))?.[0]);
    }
    expect(pages[0]).toContain("Choose only vaults that are listed here.");
    expect(pages[0]).toBe(pages[1]);
    expect((await asking.collect()).json).toHaveProperty("error");
  });

  it("without the fields of the page is not accepted", async () => {
    const { browser } = await signUp();
    const asking = await ask(browser, {});
    expect((await asking.answer(approve)).status).toBe(400);
    expect((await asking.collect()).json).toHaveProperty("error");
  });

  it("of an unbounded client says that it has no limits, and has only those that the software asks for", async () => {
    await setClient({ unbounded: true });
    const { browser } = await signUp();
    const asking = await ask(browser, {});
    const page = await asking.open();
    expect(page).not.toContain('name="vault"');
    expect(page).not.toContain('name="deletions"');
    expect(page).not.toContain('name="until"');
    expect(page).toMatch(/<strong>Limits: none.<\/strong> It may do everything that you allow above/);
    await asking.answer(approve);
    expect((await asking.collect()).json).not.toHaveProperty("authorization_details");
    const limited = await ask(browser, limits({ max_deletions: 2 }));
    expect(await limited.open()).toContain("<strong>Limits:</strong> At most 2 deletions.");
    await limited.answer(approve);
    const authorization_details = [{ type: "vault", max_deletions: 2 }];
    expect((await limited.collect()).json).toMatchObject({ authorization_details });
    await setClient();
  });
});
