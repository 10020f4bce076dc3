import { afterAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { ownCall } from "../../src/http/own-call.js";
import { newKey, type TestKey } from "../../src/oauth/testing/oauth-calls.js";
import { anyProgram } from "../../src/review/review-page.js";
import { signUpPerson } from "../../src/testing/person.js";
import type { SiteRequest } from "../../src/testing/site-browser.js";
import { createOwnVaults } from "../../src/vaults/own-vaults.js";
import {
  answerIn,
  atPages,
  atSite,
  type Changes,
  clientId,
  deleteScope,
  issuer,
  parameters,
  readScope,
  redirectUri,
  startCodeSite,
  startWebSite,
  state,
} from "./testing/code-site.js";

const minute = 60_000;
const details = z.object({ authorization_details: z.array(z.looseObject({ type: z.string() })) });
const titleOf = (body: unknown) => /<h1>(.*)<\/h1>/.exec(String(body))?.[1];
const allow = "&lt;Agent&gt; wants to use your vault";
/** What a browser sends when the person goes to a page. */
const navigation = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
/** Requests that only look at a link (RFC 9110 section 9.2.1), and the status of the response. */
const looks: readonly (readonly [what: string, request: SiteRequest, status: number])[] = [
  ["HEAD", { method: "HEAD" }, 303],
  ["a prefetch", { headers: { ...navigation, "Sec-Purpose": "prefetch" } }, 403],
  ["a prerender", { headers: { ...navigation, "Sec-Purpose": "prefetch;prerender" } }, 403],
  ["a prefetch of an older browser", { headers: { Purpose: "prefetch" } }, 403],
  ["a prefetch of Firefox", { headers: { "X-Moz": "prefetch" } }, 403],
  ["an image", { headers: { "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" } }, 303],
  ["the fetch of a script", { headers: { "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" } }, 303],
];
const unanswerable = "This request cannot be answered";

describe("an authorization request (RFC 6749 section 4.1)", () => {
  it("is reviewed, and after the approval the browser is sent back with code, state and iss (RFC 9207)", async () => {
    const { authorize, decide, authorizePath, redeem, site, accountId } = await startCodeSite();
    const review = await authorize();
    expect([review.status, titleOf(review.body)]).toEqual([200, allow]);
    expect(review.body).toContain("a program on this computer");
    expect(review.body).toContain("api.example");
    expect(review.body).toContain("renewed without asking you until the time that you choose");
    const answered = await decide(authorizePath());
    expect(answered.status).toBe(303);
    expect(answered.location).toMatch(/^http:\/\/127\.0\.0\.1:4711\/callback\?code=pac_/);
    expect(answerIn(answered.location)).toEqual({ code: expect.any(String), state, iss: issuer });
    expect(answered.headers.get("Cache-Control")).toBe("no-store");
    const tokens = await redeem(answerIn(answered.location).code ?? "");
    expect([tokens.status, tokens.body]).toEqual([
      200,
      {
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 900,
        scope: `${readScope} offline_access`,
        refresh_token: expect.stringMatching(/^prt_/),
        authorization_details: [{ type: "vault", vaults: [accountId], expires_at: expect.any(Number) }],
      },
    ]);
    const { access_token } = tokens.body as { access_token: string };
    expect(await site.authenticator.authenticate(access_token)).toBeDefined();
  });

  it("asks who it is before it is approved, and leads back to the request without the choice in the URL", async () => {
    const { site, decide, authorizePath } = await startCodeSite();
    const path = authorizePath({ scope: deleteScope });
    site.pass(6 * minute);
    const { location } = await decide(path, { decision: "approve", scope: deleteScope, deletions: "3" });
    expect(location).toBe(`/sign-in?${new URLSearchParams({ again: "", next: path })}`);
  });

  it("that was shown to another person of the browser is shown again, and not approved", async () => {
    const { site, browser, decide, authorizePath } = await startCodeSite();
    const { accountId } = await signUpPerson(site, browser);
    const form = { decision: "approve", scope: readScope };
    const { status, location, body } = await decide(authorizePath(), form);
    expect([status, location]).toEqual([400, undefined]);
    expect(body).toContain("Another person has signed in to this browser.");
    expect((await decide(authorizePath(), { ...form, person: accountId, vault: accountId })).status).toBe(303);
  });

  it("that is denied returns access_denied", async () => {
    const { decide, authorizePath } = await startCodeSite();
    const { status, location } = await decide(authorizePath(), { decision: "deny" });
    expect(status).toBe(303);
    expect(answerIn(location)).toMatchObject({ error: "access_denied", state, iss: issuer });
  });

  it("needs a decision, and a scope of the request", async () => {
    const { decide, authorizePath } = await startCodeSite();
    const undecided = await decide(authorizePath(), {});
    expect([undecided.status, undecided.body]).toEqual([400, expect.stringContaining("Choose Deny or Approve.")]);
    const other = await decide(authorizePath(), { decision: "approve", scope: deleteScope });
    expect(other.body).toContain("Nothing is selected.");
  });

  it("with a mistake in a field is not accepted, without another sign-in for it", async () => {
    const { site, decide, authorizePath } = await startCodeSite();
    site.pass(6 * minute);
    const answer = { decision: "approve", scope: deleteScope, deletions: "x" };
    const { status, body } = await decide(authorizePath({ scope: deleteScope }), answer);
    expect([status, body]).toEqual([400, expect.stringContaining("Enter a whole number")]);
  });

  it("shows an answer without a selection again with nothing selected", async () => {
    const { authorize, decide, authorizePath } = await startCodeSite();
    expect((await authorize()).body).toMatch(/type="checkbox"[^>]* checked>/);
    const nothing = await decide(authorizePath(), { decision: "approve" });
    expect(nothing.body).toContain('type="checkbox"');
    expect(nothing.body).not.toMatch(/type="checkbox"[^>]* checked>/);
  });

  it("is listed with the browser and the address from which the person approved it", async () => {
    const { approve, redeem, browser } = await startCodeSite();
    await redeem(await approve());
    const { body } = await browser.send("/account/api/delegations");
    expect(body).toMatchObject({ delegations: [{ device: "A browser on an unknown system, 192.0.2.1" }] });
  });

  it("without a scope asks to read, and gets no refresh token", async () => {
    const { authorize, approve, redeem } = await startCodeSite();
    const review = await authorize({ scope: undefined });
    expect(review.body).toContain("<dd>15 minutes</dd>");
    expect(review.body).not.toContain('name="until"');
    expect(review.body).toContain(`value="${readScope}"`);
    expect(review.body).not.toContain(`value="${deleteScope}"`);
    expect(review.body).not.toContain("renewed without asking");
    const tokens = await redeem(await approve({ scope: undefined }));
    expect(tokens.body).toMatchObject({ scope: readScope });
    expect(tokens.body).not.toHaveProperty("refresh_token");
  });

  it.each([
    [
      "https://client.example.com/callback?kept=1",
      "https://client.example.com/callback?kept=1&code=",
      "client.example.com",
    ],
    ["com.example.app:/callback", "com.example.app:/callback?code=", "com.example.app:"],
    ["http://127.0.0.1:65535/callback", "http://127.0.0.1:65535/callback?code=", "a program on this computer"],
  ])("is answered at %s, which the page names", async (redirect_uri, start, named) => {
    const { authorize, decide, authorizePath } = await startCodeSite();
    const { body, headers } = await authorize({ redirect_uri });
    expect(body).toContain(named);
    const [source = ""] = /^[^?]+/.exec(redirect_uri.startsWith("com") ? "com.example.app:" : redirect_uri) ?? [];
    expect(headers.get("Content-Security-Policy")).toContain(`form-action 'self' ${source};`);
    const { location } = await decide(authorizePath({ redirect_uri }));
    expect(location?.startsWith(start)).toBe(true);
  });
});

it.each([
  ["unbounded, on this computer", true, redirectUri, true],
  ["unbounded, an app", true, "com.example.app:/callback", true],
  ["unbounded, a site", true, atSite.redirect_uri, false],
  ["on this computer, and gets limits", false, redirectUri, false],
])("the page of a client that is %s warns of its name", async (_, unbounded, redirect_uri, warns) => {
  const { setClient, authorize } = await startCodeSite();
  await setClient({ unbounded });
  expect(String((await authorize({ redirect_uri })).body).includes(anyProgram)).toBe(warns);
});

it("a redirect URI in another spelling is answered at the registered one, and redeemed with either", async () => {
  const { decide, authorizePath, redeem } = await startCodeSite();
  const redirect_uri = "HTTPS://Client.Example.com:443/callback?kept=1";
  const registered = "https://client.example.com/callback?kept=1";
  for (const [redeemed, status] of [
    [redirect_uri, 200],
    [registered, 200],
    [`${registered}&more`, 400],
  ] as const) {
    const { location = "" } = await decide(authorizePath({ redirect_uri }));
    expect(location.startsWith(`${registered}&code=`)).toBe(true);
    expect((await redeem(answerIn(location).code ?? "", { redirect_uri: redeemed })).status).toBe(status);
  }
});

describe("a client that asks again", () => {
  /** Approves a request of a website, and redeems its code. */
  async function startApproved(approved: Changes = {}) {
    const started = await startWebSite();
    await started.redeem(await started.approve(approved));
    return started;
  }

  const short = { scope: readScope };
  it.each<[what: string, approved: Changes, asks: Changes]>([
    ["the same", {}, {}],
    ["less", {}, { scope: undefined }],
    ["the same access of minutes", short, short],
  ])("for %s is answered without a page, while the approval lives", async (_, approved, asks) => {
    const { authorize } = await startApproved(approved);
    const { status, location } = await authorize({ ...asks, prompt: "none" });
    expect(status).toBe(303);
    expect(answerIn(location)).toMatchObject({ code: expect.stringMatching(/^pac_/), state, iss: issuer });
  });

  it("for the same without a prompt gets a page for a program on the computer (RFC 8252 section 8.6), and none for a site", async () => {
    const { approve, authorize, redeem } = await startCodeSite();
    await redeem(await approve());
    expect(titleOf((await authorize()).body)).toBe(allow);
    await redeem(await approve(atSite), atSite);
    expect(answerIn((await authorize(atSite)).location)).toHaveProperty("code");
  });

  // Another program on the device knows the client id, and can receive the answer.
  it.each<[string, Changes, Changes]>([
    ["at a port", {}, {}],
    ["at another port", {}, { redirect_uri: "http://127.0.0.1:5000/callback" }],
    ["as an app", { redirect_uri: "com.example.app:/callback" }, { redirect_uri: "com.example.app:/callback" }],
  ])(
    "%s of the device gets no page only with the key of the approval, also if it is unbounded",
    async (_, at, asks) => {
      const { site, setClient, approve, authorize, redeem, redeemWithKey } = await startCodeSite();
      await setClient({ unbounded: true });
      const scope = { scope: deleteScope };
      const silent = async (dpop_jkt?: string) =>
        answerIn((await authorize({ ...scope, dpop_jkt, ...asks, prompt: "none" })).location);
      expect((await redeem(await approve({ ...scope, ...at }, deleteScope), at)).status).toBe(200);
      expect(await silent()).toMatchObject({ error: "consent_required" });
      const key = newKey();
      const bound = { ...scope, dpop_jkt: await key.thumbprint() };
      expect((await redeemWithKey(await approve({ ...bound, ...at }, deleteScope), key, at)).status).toBe(200);
      expect(await silent(bound.dpop_jkt)).toHaveProperty("code");
      for (const other of [undefined, site.secrets.codeChallenge("another key")]) {
        expect(await silent(other)).toMatchObject({ error: "consent_required" });
      }
    },
  );

  it.each<[what: string, approved: Changes, asks: Changes]>([
    ["more scopes", {}, { scope: `${readScope} ${deleteScope}` }],
    ["another redirect URI", {}, { redirect_uri: "com.example.app:/callback" }],
    ["another resource", {}, { resource: "https://broker.example" }],
    ["a refresh token, after an access of minutes,", short, {}],
  ])("for %s gets consent_required with prompt=none, otherwise a page", async (_, approved, asks) => {
    const { authorize } = await startApproved(approved);
    const silent = await authorize({ ...asks, prompt: "none" });
    expect(answerIn(silent.location)).toMatchObject({ error: "consent_required", state, iss: issuer });
    expect(titleOf((await authorize(asks)).body)).toBe(allow);
  });

  it("with prompt=consent gets a page with everything", async () => {
    const { authorize } = await startApproved();
    const { body } = await authorize({ prompt: "consent" });
    expect(body).toContain(`value="${readScope}"`);
  });

  it("for what only an access that has ended allowed gets a page again, while another access lives", async () => {
    const { site, approve, authorize, redeem, call, accountId } = await startApproved();
    const more = { scope: `${deleteScope} offline_access` };
    await redeem(await approve(more, deleteScope));
    const person = { tenantId: "acme", principalId: accountId };
    const families = await site.own.listRefreshFamilies(person);
    const ended = families.find(({ scopes }) => scopes.includes(deleteScope))?.familyId ?? "";
    await site.own.removeAccess(ended, { ...call, actor: { ...call.actor, ...person } });
    expect(answerIn((await authorize({ ...more, prompt: "none" })).location).error).toBe("consent_required");
    expect(answerIn((await authorize({ prompt: "none" })).location)).toHaveProperty("code");
  });

  it("without a page does not extend the 30 days after which the person is asked again", async () => {
    const { site, authorize, redeem, signIn } = await startApproved();
    const day = 24 * 60 * minute;
    const silently = async () => {
      await signIn();
      return answerIn((await authorize({ prompt: "none" })).location);
    };
    site.pass(29 * day);
    await redeem((await silently()).code ?? "");
    site.pass(2 * day);
    expect((await silently()).error).toBe("consent_required");
  });

  it("with another key than that of the approval, or with none, gets nothing of what was approved before", async () => {
    const { approve, authorize, redeem, redeemWithKey } = await startCodeSite();
    const code = await approve({ scope: `${deleteScope} offline_access` }, deleteScope);
    expect((await redeemWithKey(code, newKey())).status).toBe(200);
    expect((await authorize()).body).not.toContain("it stays");
    expect((await redeem(await approve())).body).toMatchObject({ scope: `${readScope} offline_access` });
  });

  it("for nobody who is signed in gets login_required with prompt=none", async () => {
    const { site, authorize } = await startWebSite();
    const { location } = await authorize({ prompt: "none" }, site.openBrowser());
    expect(answerIn(location)).toMatchObject({ error: "login_required", state, iss: issuer });
  });

  it("gets a page again if its code was not redeemed", async () => {
    const { approve, authorize } = await startWebSite();
    await approve();
    expect(answerIn((await authorize({ prompt: "none" })).location).error).toBe("consent_required");
  });

  it("for more gets one review of what is new, and then tokens for everything (step-up)", async () => {
    const { approve, authorize, redeem } = await startApproved();
    const changes = { scope: `${deleteScope} offline_access` };
    const { body } = await authorize(changes);
    expect(body).toContain(`value="${deleteScope}"`);
    expect(body).not.toContain(`value="${readScope}"`);
    expect(body).toContain("You have allowed this before, and it stays");
    const tokens = await redeem(await approve(changes, deleteScope));
    expect(tokens.body).toMatchObject({ scope: `${deleteScope} ${readScope} offline_access` });
    const { location } = await authorize({ prompt: "none" });
    expect(answerIn(location)).toHaveProperty("code");
  });

  it("gets the bounds that the person allows now, and no others", async () => {
    const { site, approve, authorize, redeem, accountId, call } = await startWebSite();
    const { authorization_details: agreed } = details.parse((await redeem(await approve())).body);
    expect(agreed).toEqual([{ type: "vault", vaults: [accountId], expires_at: expect.any(Number) }]);
    const silent = async () => answerIn((await authorize({ prompt: "none" })).location);
    const { authorization_details: again } = details.parse((await redeem((await silent()).code ?? "")).body);
    expect(again).toEqual(agreed);
    const person = { tenantId: "acme", principalId: accountId };
    const bounds = { vaults: ["v-other"], expiresAt: site.clock.now() + minute };
    for (const { delegationId } of await site.own.listDelegations(person)) {
      await site.own.changeDelegation({ delegationId, bounds }, { ...call, actor: { ...call.actor, ...person } });
    }
    const changed = details.parse((await redeem((await silent()).code ?? "")).body);
    expect(changed.authorization_details).toMatchObject([{ vaults: ["v-other"] }]);
    site.pass(minute);
    expect(await silent()).toMatchObject({ error: "consent_required" });
  });

  it("to delete, or with limits in the request, always shows a page, because only the person allows deletions", async () => {
    const { setClient, approve, authorize, redeem } = await startWebSite();
    const scope = `${deleteScope} ${readScope}`;
    await redeem(await approve({ scope }, [deleteScope, readScope]));
    const asks = async (changes: Changes) => answerIn((await authorize({ ...changes, prompt: "none" })).location);
    const limits = { authorization_details: '[{"type":"vault"}]' };
    expect(await asks({ scope: readScope })).toHaveProperty("code");
    expect(await asks({ scope: deleteScope })).toMatchObject({ error: "consent_required" });
    expect(await asks({ scope: readScope, ...limits })).toMatchObject({ error: "consent_required" });
    await setClient({ unbounded: true });
    expect(await asks({ scope: readScope })).toMatchObject({ error: "consent_required" });
    await redeem(await approve({ scope }, [deleteScope, readScope]));
    expect(await asks({ scope: deleteScope })).toHaveProperty("code");
    await setClient();
    expect(await asks({ scope: deleteScope })).toMatchObject({ error: "consent_required" });
  });

  it("to use secrets has the limits that the person chooses, also of an unbounded client, and always shows a page", async () => {
    const { site, setClient, accountId, authorize, authorizePath, decide, redeem } = await startWebSite();
    const useScope = "vault.items:use";
    const operations = ["MemberVaultService/ListVaults", "MemberVaultService/PutItem", "ItemUseService/UseItem"];
    const allowedOperations = operations.map((name) => `platform.accounts.v1.${name}`);
    await setClient({ unbounded: true, allowedOperations });
    const request = { scope: `${useScope} ${readScope}` };
    const page = String((await authorize(request)).body);
    const fields = ['name="uses" value="25"', 'name="hosts"', "Ask me each time"];
    for (const shown of ["Use the secrets of items without seeing them", ...fields]) expect(page).toContain(shown);
    const chosen = { uses: "50", hosts: "API.example\nb.example:8443", asks: "each time" };
    const form = { decision: "approve", scope: [useScope, readScope], ...chosen };
    const wrong = await decide(authorizePath(request), { ...form, hosts: "https://a.b" });
    expect([wrong.status, wrong.body]).toEqual([400, expect.stringContaining("Enter hosts such as api.example.com")]);
    const { location } = await decide(authorizePath(request), form);
    const { body } = await redeem(answerIn(location).code ?? "");
    const hosts = ["api.example", "b.example:8443"];
    expect(body).toMatchObject({ authorization_details: [{ max_uses: 50, hosts }] });
    const [delegation] = await site.own.listDelegations({ tenantId: "acme", principalId: accountId });
    expect(delegation?.bounds).toMatchObject({ maxUses: 50, hosts, asksEachTime: true });
    expect(answerIn((await authorize({ ...request, prompt: "none" })).location)).toMatchObject({
      error: "consent_required",
    });
    // Access to something else contains no uses, for which the page would propose other limits.
    const other = String((await authorize({ scope: "vault.items:write" })).body);
    expect([other.includes("Add and change items"), other.includes('name="uses"')]).toEqual([true, false]);
  });
});

describe("prompt (OpenID Connect Core section 3.1.2.1)", () => {
  /** Approves a request for a site, so that the same needs no page. Then a client asks with a prompt, in the URL or pushed. */
  async function ask(prompt: string, how: string) {
    const started = await startCodeSite();
    const { site, push, approve, redeem, authorizePath } = started;
    await redeem(await approve(atSite), atSite);
    site.pass(1);
    const request = { ...atSite, prompt };
    if (how === "in the URL") return { ...started, path: authorizePath(request) };
    return { ...started, path: await push(request) };
  }

  it.each([
    ["login", "in the URL", "again", "Sign in again", true],
    ["login", "pushed", "again", "Sign in again", true],
    ["select_account", "in the URL", "select", "Choose an account", false],
    ["select_account login", "pushed", "select", "Choose an account", false],
  ])("%s, %s: the person goes to the sign-in page first, and only once", async (prompt, how, mode, title, again) => {
    const { site, browser, signIn, accountId, decide, path } = await ask(prompt, how);
    const asked = await browser.send(path);
    expect(asked.location).toMatch(new RegExp(`^/sign-in\\?${mode}=&next=`));
    expect(titleOf((await browser.send(asked.location ?? "")).body)).toBe(title);
    // A decision that is sent without the page changes nothing.
    expect((await decide(path, { decision: "approve", scope: readScope, person: accountId })).location).toContain(mode);
    site.pass(1);
    await signIn(browser, {}, again);
    const next = new URL(asked.location ?? "", issuer).searchParams.get("next") ?? "";
    expect(answerIn((await browser.send(next)).location)).toHaveProperty("code");
    // The next request of the client asks again.
    if (how === "in the URL") expect((await browser.send(path)).location).toBe(asked.location);
  });

  it("login consent: the sign-in page, and then the review", async () => {
    const { browser, signIn, path } = await ask("login consent", "in the URL");
    const { location = "" } = await browser.send(path);
    await signIn(browser, {}, true);
    expect(titleOf((await browser.send(new URL(location, issuer).searchParams.get("next") ?? "")).body)).toBe(allow);
  });
});

it("a request with authorization_details (RFC 9396) gets tokens with these limits, also when it was pushed", async () => {
  const { authorizePath, redeem, push, decide } = await startCodeSite();
  const limits = { authorization_details: '[{"type":"vault","max_deletions":3}]' };
  for (const path of [authorizePath(limits), await push(limits)]) {
    const tokens = await redeem(answerIn((await decide(path)).location).code ?? "");
    expect(tokens.body).toMatchObject({ authorization_details: [{ type: "vault", max_deletions: 3 }] });
  }
});

describe.each([
  ["chooses limits", false],
  ["is offered no limits", true],
])("the page of a client for which the person %s", (_, unbounded) => {
  const warning = "It names a vault that you do not have";

  /** Signs up somebody with a vault, and with another one that they have deleted. */
  async function setUp() {
    const started = await startCodeSite();
    const { site, browser, accountId, setClient, authorizePath } = started;
    await setClient({ unbounded });
    const vaults = createOwnVaults(site);
    const callAs = (principalId: string) => {
      const call = ownCall("test", site.secrets);
      return { ...call, actor: { ...call.actor, tenantId: "acme", principalId } };
    };
    const create = async (vaultId: string, principalId = accountId) => {
      const key = { keyId: "k-1", wrappedKey: "a2V5" };
      await vaults.create({ vaultId, key, encryptedName: "bmFtZQ" }, callAs(principalId));
    };
    await Promise.all([create("v-kept"), create("v-deleted"), create("v-foreign", "somebody-else")]);
    await vaults.remove({ vaultId: "v-deleted", deleteItems: false }, callAs(accountId));
    const pageFor = async (vaultIds?: readonly string[]) => {
      const detail = [{ type: "vault", vaults: vaultIds }];
      const path = authorizePath({ authorization_details: JSON.stringify(detail) });
      return String((await browser.send(path)).body);
    };
    return { ...started, pageFor };
  }

  it("shows no vault that was deleted", async () => {
    const { accountId, pageFor } = await setUp();
    const shown = [...(await pageFor()).matchAll(/data-vault-id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(shown)).toEqual(unbounded ? new Set() : new Set([accountId, "v-kept"]));
  });

  it("warns of a vault that the person does not have, whether it was deleted, is of somebody else, or does not exist", async () => {
    const { pageFor } = await setUp();
    expect(await pageFor(["v-kept"])).not.toContain(warning);
    const others = ["v-deleted", "v-foreign", "Personal"];
    const [page = "", ...same] = await Promise.all(others.map((id) => pageFor(["v-kept", id])));
    expect(page).toContain(warning);
    expect([...page.matchAll(/data-vault-id="([^"]*)"/g)].every(([, id]) => id === "v-kept")).toBe(true);
    const withoutPath = (text: string) => text.replaceAll(/(?:action|data-path|href)="[^"]*"/g, "");
    for (const other of same) expect(withoutPath(other)).toBe(withoutPath(page));
  });

  it("says that the software can use no vault if it names only others", async () => {
    const { pageFor } = await setUp();
    const page = await pageFor(["v-deleted"]);
    expect(page).toContain(warning);
    expect(page).toMatch(/can use none/);
    expect(page).not.toContain("data-vault-id");
  });
});

describe("a pushed authorization request (RFC 9126)", () => {
  it("is reviewed and approved like any other, once", async () => {
    const started = await startCodeSite();
    const { browser, decide, redeem } = started;
    const path = await started.push();
    expect(titleOf((await browser.send(path)).body)).toBe(allow);
    const { location } = await decide(path);
    expect(answerIn(location)).toMatchObject({ state, iss: issuer });
    expect((await redeem(answerIn(location).code ?? "")).status).toBe(200);
    expect([(await browser.send(path)).status, (await decide(path)).status]).toEqual([400, 400]);
  });

  it("is used up by a denial", async () => {
    const started = await startCodeSite();
    const path = await started.push();
    expect(answerIn((await started.decide(path, { decision: "deny" })).location).error).toBe("access_denied");
    expect((await started.browser.send(path)).status).toBe(400);
  });

  it("is valid for 10 minutes, also through sign-in and a reload", async () => {
    const started = await startCodeSite();
    const { site, browser } = started;
    const path = await started.push();
    expect((await site.openBrowser().send(path)).status).toBe(303);
    site.pass(10 * minute - 1);
    expect([(await browser.send(path)).status, (await browser.send(path)).status]).toEqual([200, 200]);
    site.pass(1);
    expect((await browser.send(path)).status).toBe(400);
  });

  it("says that a Deny came too late if another window has approved at the same time, and sends the program no denial", async () => {
    const { site, push, decide } = await startCodeSite();
    const path = await push();
    const { putRecord } = site.own;
    vi.spyOn(site.own, "putRecord").mockImplementationOnce(async (put, call) => {
      expect(answerIn((await decide(path)).location)).toHaveProperty("code");
      return putRecord(put, call);
    });
    const { status, location, body } = await decide(path, { decision: "deny" });
    const advice = expect.stringContaining("remove its access on Agents & apps");
    expect([status, location, body]).toEqual([400, undefined, advice]);
  });

  it.each(looks)("is not used up by %s, even if it needs no page", async (_, request, status) => {
    const started = await startCodeSite();
    const { site, browser, approve, redeem } = started;
    await redeem(await approve(atSite), atSite);
    const path = await started.push(atSite);
    const stranger = site.openBrowser();
    for (const by of [stranger, browser]) {
      const looked = await by.send(path, request);
      expect([looked.status, looked.location ?? ""]).toEqual([status, expect.not.stringContaining("code=")]);
    }
    expect((await stranger.send(path)).location).toMatch(/^\/sign-in/);
    const { code = "" } = answerIn((await browser.send(path, { headers: navigation })).location);
    expect((await redeem(code, atSite)).status).toBe(200);
    expect((await browser.send(path, { headers: navigation })).status).toBe(400);
  });

  it("is not opened by the link of another site, but by the reload that follows", async () => {
    const started = await startCodeSite();
    const path = await started.push();
    const linked = await started.site.openBrowser().send(path, { headers: { "Sec-Fetch-Site": "cross-site" } });
    expect(titleOf(linked.body)).toBe("One moment");
    expect(titleOf((await started.browser.send(path)).body)).toBe(allow);
  });

  it("is stored without the parameters that mean nothing, which would fill the storage", async () => {
    const started = await startCodeSite();
    const putRecord = vi.spyOn(started.site.own, "putRecord");
    await started.push({ unknown: "value" });
    const { record } = putRecord.mock.lastCall?.[0] ?? {};
    expect(record?.value).toContain(parameters.code_challenge);
    expect(record?.value).not.toContain("unknown");
  });

  it("of another client is not answered", async () => {
    const started = await startCodeSite();
    const path = (await started.push()).replace("client_id=agent", "client_id=other");
    await started.setClient({ oauthClientId: "other" });
    expect((await started.browser.send(path)).status).toBe(400);
  });

  it("is the only kind that a client may send which is registered so (section 6)", async () => {
    const started = await startCodeSite();
    await started.setClient({ requirePushedAuthorizationRequests: true });
    const { location } = await started.authorize();
    expect(answerIn(location)).toMatchObject({ error: "invalid_request", state, iss: issuer });
    expect(titleOf((await started.browser.send(await started.push())).body)).toBe(allow);
  });
});

describe("a key (RFC 9449 section 10)", () => {
  it("that dpop_jkt names, or that was proved where the request was pushed, must be proved where the code is redeemed", async () => {
    const { site, approve, redeem, software, decide } = await startCodeSite();
    const [key, other] = [newKey(), newKey()];
    const token = `${issuer}/oauth/token`;
    const par = `${issuer}/oauth/par`;
    const asking = await software.send("/oauth/par", { form: parameters, headers: { DPoP: await key.prove(par) } });
    expect(asking.body).toMatchObject({ error: "use_dpop_nonce" });
    const nonce = asking.headers.get("DPoP-Nonce");
    const proofOf = async (by: TestKey, url: string) => ({ DPoP: await by.prove(url, { nonce }) });

    const jkt = site.secrets.codeChallenge("a key that nobody has");
    const others = { form: { ...parameters, dpop_jkt: jkt }, headers: await proofOf(key, par) };
    expect((await software.send("/oauth/par", others)).body).toMatchObject({ error: "invalid_dpop_proof" });
    const headers = await proofOf(key, par);
    const pushed = z
      .object({ request_uri: z.string() })
      .parse((await software.send("/oauth/par", { form: parameters, headers })).body);
    const path = `/oauth/authorize?${new URLSearchParams({ client_id: clientId, ...pushed })}`;
    const fromPushed = answerIn((await decide(path)).location).code ?? "";
    const named = await approve({ dpop_jkt: jkt });
    expect((await redeem(named, {}, await proofOf(key, token))).body).toMatchObject({ error: "invalid_grant" });
    expect((await redeem(fromPushed)).body).toMatchObject({ error: "invalid_dpop_proof" });
    expect((await redeem(fromPushed, {}, await proofOf(other, token))).body).toMatchObject({ error: "invalid_grant" });
    const tokens = await redeem(fromPushed, {}, await proofOf(key, token));
    expect(tokens.status).toBe(200);
    // A lost answer is sent again to whoever proves the same key.
    expect((await redeem(fromPushed, {}, await proofOf(key, token))).body).toEqual(tokens.body);
    const { refresh_token } = z.looseObject({ refresh_token: z.string() }).parse(tokens.body);
    const form = { grant_type: "refresh_token", client_id: clientId, refresh_token };
    expect((await software.send("/oauth/token", { form })).body).toMatchObject({ error: "invalid_dpop_proof" });
  });
});

describe("a DPoP proof (RFC 9449 sections 8 and 11.1)", () => {
  const fresh = ["use_dpop_nonce", undefined, "invalid_dpop_proof", "use_dpop_nonce"];
  const rejected = fresh.map(() => "invalid_dpop_proof");

  it.each([
    [-10, fresh],
    [23 * 60, fresh],
    [-1450, rejected],
    [1450, rejected],
  ])(
    "is as old as its nonce, and works once, if the clock of the client is off by %d minutes",
    async (minutes, errors) => {
      const { site, software } = await startCodeSite();
      const key = newKey();
      const prove = (nonce?: string | null) =>
        key.prove(`${issuer}/oauth/par`, { nonce, iat: Math.floor(site.clock.now() / 1000) + minutes * 60 });
      const send = (DPoP: string) => software.send("/oauth/par", { form: parameters, headers: { DPoP } });
      const asked = await send(await prove());
      const nonce = asked.headers.get("DPoP-Nonce");
      const proof = await prove(nonce);
      const first = await send(proof);
      site.pass(140_000);
      const replayed = await send(proof);
      site.pass(160_000);
      const late = await send(await prove(nonce));
      expect([asked, first, replayed, late].map(({ body }) => Object(body).error)).toEqual(errors);
    },
  );
});

describe("a code", () => {
  it("for one resource gives tokens for no other, also when they are refreshed (RFC 8707 section 2.2)", async () => {
    const { approve, redeem, software } = await startCodeSite();
    const resource = "https://broker.example";
    // One slash more or less changes nothing.
    const changes = { resource: `${resource}/` };
    expect((await redeem(await approve(changes), { resource: "https://api.example" })).body).toMatchObject({
      error: "invalid_target",
    });
    const tokens = await redeem(await approve(changes));
    const { refresh_token } = tokens.body as { refresh_token: string };
    const form = { grant_type: "refresh_token", client_id: clientId, refresh_token };
    const other = await software.send("/oauth/token", { form: { ...form, resource: "https://api.example" } });
    expect(other.body).toMatchObject({ error: "invalid_target" });
    expect((await software.send("/oauth/token", { form: { ...form, resource } })).status).toBe(200);
  });

  it("for the MCP server gives tokens, however its URL is written", async () => {
    const { approve, redeem } = await startCodeSite({ mcpUrl: "https://mcp.example/mcp" });
    expect((await redeem(await approve({ resource: "HTTPS://MCP.example:443/mcp/" }))).status).toBe(200);
  });
});

/** Requests whose answer goes to nobody: a page says what is wrong. */
const unaddressed: readonly (readonly [what: string, query: string, says: string])[] = [
  ["no client_id", "", "client_id is required"],
  ["an unknown client", query({ client_id: "unknown" }), "not registered"],
  ["two client_ids", `${query({})}&client_id=other`, "more than once"],
  ["no redirect_uri", query({ redirect_uri: undefined }), "redirect_uri is required"],
  ["two redirect_uris", `${query({})}&redirect_uri=https://evil.example.net`, "more than once"],
  ["a redirect URI of nobody", query({ redirect_uri: "https://evil.example.net/callback" }), "not one that"],
  ["a registered redirect URI at another port of the pages", query({ redirect_uri: atPages }), "has the host name"],
  ["an unknown request_uri", "client_id=agent&request_uri=urn:ietf:params:oauth:request_uri:x", "has expired"],
];

/** Requests whose error goes to the client by redirect. */
const refused: readonly (readonly [what: string, query: string, error: string])[] = [
  ["no response_type", query({ response_type: undefined }), "invalid_request"],
  ["response_type token", query({ response_type: "token" }), "unsupported_response_type"],
  ["response_mode fragment", query({ response_mode: "fragment" }), "invalid_request"],
  ["a request object", query({ request: "e30" }), "request_not_supported"],
  ["no code_challenge", query({ code_challenge: undefined }), "invalid_request"],
  ["the method plain", query({ code_challenge_method: "plain" }), "invalid_request"],
  ["a challenge that is not a hash", query({ code_challenge: "short" }), "invalid_request"],
  ["an unknown scope", query({ scope: "unknown" }), "invalid_scope"],
  ["only scopes that the client may not have", query({ scope: "vault.items:write" }), "invalid_scope"],
  ["an unknown resource (RFC 8707 section 2)", query({ resource: "https://evil.example.net" }), "invalid_target"],
  ["two scopes", `${query({})}&scope=other`, "invalid_request"],
  ["two resources", `${query({ resource: "https://api.example" })}&resource=https://broker.example`, "invalid_target"],
  ["an unknown prompt", query({ prompt: "login create" }), "invalid_request"],
  ["prompt=none with another value", query({ prompt: "none login" }), "invalid_request"],
  ["a state that is too long for the URL of the sign-in page", query({ state: "é".repeat(400) }), "invalid_request"],
  [
    "an unknown type of authorization_details (RFC 9396 section 5)",
    query({ authorization_details: '[{"type":"evil"}]' }),
    "invalid_authorization_details",
  ],
  ["a malformed dpop_jkt", query({ dpop_jkt: "short" }), "invalid_request"],
];

function query(changes: Changes): string {
  const pairs = Object.entries({ ...parameters, ...changes });
  return pairs
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join("&");
}

// No request with a mistake changes the site, so that all of these share one.
const shared = await startCodeSite({}, afterAll);

describe("a request with a mistake (RFC 6749 section 4.1.2.1)", () => {
  it.each(unaddressed)("%s: a page, and never a redirect (RFC 9700 section 4.11)", async (_, sent, says) => {
    const { status, location, body } = await shared.browser.send(`/oauth/authorize?${sent}`, {
      headers: { Accept: "text/html" },
    });
    expect([status, location, titleOf(body)]).toEqual([400, undefined, unanswerable]);
    expect(body).toContain(says);
    expect(body).not.toContain("evil");
  });

  it("a pushed redirect URI at another port of the pages: invalid_request", async () => {
    const { status, body } = await shared.software.send("/oauth/par", {
      form: { ...parameters, redirect_uri: atPages },
    });
    expect([status, body]).toMatchObject([400, { error: "invalid_request" }]);
  });

  it.each(refused)("%s: a redirect with the error, state and iss", async (_, sent, error) => {
    const { status, location = "" } = await shared.browser.send(`/oauth/authorize?${sent}`);
    expect(status).toBe(303);
    expect(location.startsWith(`${redirectUri}?`)).toBe(true);
    expect(answerIn(location)).toEqual({
      error,
      error_description: expect.any(String),
      state: new URLSearchParams(sent).get("state"),
      iss: issuer,
    });
    expect(location).not.toContain("evil");
  });

  it("two states: the error is sent without one", async () => {
    const { browser } = await startCodeSite();
    const { location } = await browser.send(`/oauth/authorize?${query({})}&state=other`);
    expect(answerIn(location)).toEqual({
      error: "invalid_request",
      error_description: expect.any(String),
      iss: issuer,
    });
  });

  it("no state: the answer has none, and PKCE and iss protect the client (RFC 9700 section 4.7)", async () => {
    const { decide, authorizePath } = await startCodeSite();
    const { location } = await decide(authorizePath({ state: undefined }));
    expect(answerIn(location)).toEqual({ code: expect.any(String), iss: issuer });
  });

  it("a client that may not use codes gets unauthorized_client", async () => {
    const { setClient, authorize } = await startCodeSite();
    await setClient({ grantTypes: ["urn:ietf:params:oauth:grant-type:device_code"] });
    expect(answerIn((await authorize()).location)).toMatchObject({ error: "unauthorized_client" });
  });

  it("a decision that a page of another site sends is rejected (RFC 9700 section 4.7)", async () => {
    const { browser, authorizePath } = await startCodeSite();
    const headers = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example.net", Accept: "text/html" };
    const { status, location } = await browser.send(authorizePath(), {
      form: { decision: "approve", scope: readScope },
      headers,
    });
    expect([status, location]).toEqual([403, undefined]);
  });

  it("the page cannot be framed, and sends no Referer (RFC 9700 sections 4.2 and 4.16)", async () => {
    const { headers } = await (await startCodeSite()).authorize();
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
  });
});
