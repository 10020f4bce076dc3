import { describe, expect, it, onTestFinished } from "vitest";
import { createAccountsSite } from "../testing/accounts-site.js";
import { approveAgent, exchangeForAgent } from "../testing/approve-agent.js";
import { signUpPerson } from "../testing/person.js";
import type { SiteBrowser } from "../testing/site-browser.js";

async function setUp() {
  const site = await createAccountsSite();
  onTestFinished(site.close);
  const person = await signUpPerson(site);
  const agent = await approveAgent(site, person.accountId, { vaults: ["v-1"], maxDeletions: 10 });
  return { site, person, agent, browser: person.browser };
}

const list = async (browser: SiteBrowser) => Object((await browser.send("/account/api/delegations")).body).delegations;
const change = (browser: SiteBrowser, json: unknown) => browser.send("/account/api/delegations/change", { json });
const end = (browser: SiteBrowser, json: unknown) => browser.send("/account/api/delegations/end", { json });
const ended = { status: 409, body: { reason: "APPROVAL_ENDED" } };

describe("what a person has delegated", () => {
  it("is listed with its bounds, what was used of them, the software, and its last use", async () => {
    const { browser, agent } = await setUp();
    const { status, headers } = await browser.send("/account/api/delegations");
    expect({ status, cache: headers.get("Cache-Control") }).toEqual({ status: 200, cache: "no-store" });
    expect(await list(browser)).toEqual([
      {
        id: agent.familyId,
        name: "<Agent>",
        oauthClientId: "agent",
        device: "203.0.113.7",
        scopes: [{ scope: "vault.items:delete", words: expect.stringContaining("Delete items") }],
        renewable: true,
        bounds: { vaults: ["v-1"], maxDeletions: 10 },
        used: { deletions: 0 },
        approvedAt: expect.stringMatching(/Z$/),
        lastUsedAt: expect.stringMatching(/Z$/),
        endsAt: expect.stringMatching(/Z$/),
        latestEndsAt: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it("is listed for each login: also without bounds, and with tokens that are not renewed", async () => {
    const { site, browser, agent, person } = await setUp();
    site.pass(60_000);
    const unbounded = await approveAgent(site, person.accountId);
    const exchanged = await exchangeForAgent(site, person.accountId);
    const listed = await list(browser);
    expect(listed.map(({ id }: { readonly id: string }) => id)).toEqual([
      unbounded.familyId,
      agent.familyId,
      exchanged.grantId,
    ]);
    expect(listed).toMatchObject([{ renewable: true }, { renewable: true }, { renewable: false }]);
    for (const one of [listed[0], listed[2]]) {
      expect(one).not.toHaveProperty("bounds");
      expect(one).not.toHaveProperty("used");
      expect(one.endsAt).toBe(one.latestEndsAt);
    }
  });

  it("says where each login signed in, also after it has renewed its tokens", async () => {
    const { site, browser, agent, person } = await setUp();
    await exchangeForAgent(site, person.accountId);
    await agent.refresh();
    expect(await list(browser)).toMatchObject([{ device: "203.0.113.7" }, { device: "203.0.113.7" }]);
  });

  it("says when each login last got tokens", async () => {
    const { site, browser, agent, person } = await setUp();
    await approveAgent(site, person.accountId);
    site.pass(60_000);
    await agent.refresh();
    const now = new Date(site.clock.now()).toISOString();
    const before = new Date(site.clock.now() - 60_000).toISOString();
    const used = (await list(browser)).map(({ id, lastUsedAt }: Record<string, string>) => [
      id === agent.familyId,
      lastUsedAt,
    ]);
    expect(new Map(used)).toEqual(
      new Map([
        [true, now],
        [false, before],
      ]),
    );
  });

  it("is widened and narrowed by the person: the new bounds replace the old ones", async () => {
    const { site, browser, agent } = await setUp();
    const expiresAt = new Date(site.clock.now() + 3_600_000).toISOString();
    const bounds = { maxDeletions: 20, actions: ["read", "delete"], expiresAt };
    const changed = await change(browser, { id: agent.familyId, bounds });
    expect(changed).toMatchObject({ status: 200, body: { bounds, used: { deletions: 0 } } });
    expect(await list(browser)).toMatchObject([{ bounds, endsAt: expiresAt }]);
    expect((await list(browser))[0].latestEndsAt > expiresAt).toBe(true);
    expect((await list(browser))[0].bounds).not.toHaveProperty("vaults");
  });

  it("is not changed if the person saw other bounds: somebody has changed them since", async () => {
    const { browser, agent } = await setUp();
    const { bounds: expected } = (await list(browser))[0];
    const wider = { ...expected, maxDeletions: 20 };
    expect(await change(browser, { id: agent.familyId, bounds: wider, expected })).toMatchObject({ status: 200 });
    const conflict = { status: 409, body: { reason: "APPROVAL_CHANGED" } };
    const late = { id: agent.familyId, bounds: { maxDeletions: 99 }, expected };
    expect(await change(browser, late)).toMatchObject(conflict);
    expect(await list(browser)).toMatchObject([{ bounds: wider }]);
  });

  it("is given a vault where it had none: the request and the approval had nothing in common", async () => {
    const { site, person, browser } = await setUp();
    const agent = await approveAgent(site, person.accountId, { vaults: [], maxDeletions: 10 });
    const expected = { vaults: [], maxDeletions: 10 };
    const given = { id: agent.familyId, bounds: { vaults: ["v-1"], maxDeletions: 10 }, expected };
    expect(await change(browser, given)).toMatchObject({ status: 200, body: { bounds: given.bounds } });
  });

  it("is ended by the person: its token is rejected within 1 s, it gets no other, and it cannot be changed", async () => {
    const { site, browser, agent } = await setUp();
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeDefined();
    expect(await end(browser, { id: agent.familyId })).toMatchObject({ status: 200 });
    expect(await list(browser)).toEqual([]);
    site.pass(1_000);
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeUndefined();
    expect(await agent.refresh()).toMatchObject({ ok: false });
    expect(await change(browser, { id: agent.familyId, bounds: {} })).toMatchObject(ended);
  });

  it("ends alone: another login of the same software goes on", async () => {
    const { site, browser, agent, person } = await setUp();
    const other = await approveAgent(site, person.accountId);
    const exchanged = await exchangeForAgent(site, person.accountId);
    for (const id of [other.familyId, exchanged.grantId]) {
      expect(await end(browser, { id })).toMatchObject({ status: 200 });
    }
    site.pass(1_000);
    expect(await site.authenticator.authenticate(other.accessToken)).toBeUndefined();
    expect(await site.authenticator.authenticate(exchanged.accessToken)).toBeUndefined();
    expect(await other.refresh()).toMatchObject({ ok: false });
    expect(await list(browser)).toMatchObject([{ id: agent.familyId }]);
    expect(await agent.refresh()).toMatchObject({ ok: true });
  });

  it("is not listed any more when the person has ended the access of the software", async () => {
    const { browser, agent } = await setUp();
    await browser.send("/account/api/access/end", { json: { kind: "software", id: agent.familyId } });
    expect(await list(browser)).toEqual([]);
  });

  it("of another person is neither listed, changed nor ended", async () => {
    const { site, browser, agent } = await setUp();
    const other = await signUpPerson(site);
    expect(await list(other.browser)).toEqual([]);
    expect(await change(other.browser, { id: agent.familyId, bounds: {} })).toMatchObject(ended);
    await end(other.browser, { id: agent.familyId });
    expect(await list(browser)).toMatchObject([{ bounds: { maxDeletions: 10 } }]);
    expect(await agent.refresh()).toMatchObject({ ok: true });
  });
});

describe("the endpoints of delegations", () => {
  it("need a session, and a sign-in within 5 minutes for changes", async () => {
    const { site, browser, agent } = await setUp();
    const stranger = site.openBrowser();
    expect(await stranger.send("/account/api/delegations")).toMatchObject({ status: 401 });
    expect(await change(stranger, { id: agent.familyId, bounds: {} })).toMatchObject({ status: 401 });
    site.pass(5 * 60_000);
    const again = { status: 401, body: { reason: "SIGN_IN_AGAIN" } };
    expect(await change(browser, { id: agent.familyId, bounds: {} })).toMatchObject(again);
    expect(await end(browser, { id: agent.familyId })).toMatchObject(again);
    expect(await list(browser)).toMatchObject([{ bounds: { maxDeletions: 10 } }]);
  });

  it.each([
    {},
    { bounds: {} },
    { id: "", bounds: {} },
    { id: "x", bounds: { maxDeletions: -1 } },
    { id: "x", bounds: { maxDeletions: 1.5 } },
    { id: "x", bounds: { maxDeletions: 4_294_967_296 } },
    { id: "x", bounds: { actions: ["shred"] } },
    { id: "x", bounds: { actions: [] } },
    { id: "x", bounds: { actions: ["read", "read"] } },
    { id: "x", bounds: { vaults: ["a b"] } },
    { id: "x", bounds: { vaults: [] } },
    { id: "x", bounds: { vaults: ["v-1", "v-1"] } },
    { id: "x", bounds: { vaults: Array.from({ length: 21 }, (_, index) => `v-${index}`) } },
    { id: "x", bounds: { expiresAt: "tonight" } },
    { id: "x", bounds: { expiresAt: 1 } },
    { id: "x", bounds: {}, expected: { maxDeletions: -1 } },
  ])("reject the change %j", async (json) => {
    const { browser, agent } = await setUp();
    const own = "id" in json && json.id !== "" ? { ...json, id: agent.familyId } : json;
    expect(await change(browser, own)).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
    expect(await list(browser)).toMatchObject([{ bounds: { vaults: ["v-1"], maxDeletions: 10 } }]);
  });
});
