import { describe, expect, it } from "vitest";
import { approveAgent, exchangeForAgent } from "../../src/testing/approve-agent.js";
import { openSiteOfPerson, signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";

async function setUp() {
  const { site, person, browser } = await openSiteOfPerson();
  const agent = await approveAgent(site, person.accountId, { vaults: ["v-1"], maxDeletions: 10 });
  return { site, person, agent, browser };
}

const list = async (browser: SiteBrowser) => Object((await browser.send("/account/api/delegations")).body).delegations;
const change = (browser: SiteBrowser, json: unknown) => browser.send("/account/api/delegations/change", { json });
const end = (browser: SiteBrowser, id: string) =>
  browser.send("/account/api/access/end", { json: { kind: "software", id } });
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
        used: { deletions: 0, uses: 0 },
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

  it("says when each login last got tokens", async () => {
    const { site, browser, agent, person } = await setUp();
    const other = await approveAgent(site, person.accountId);
    site.pass(60_000);
    await agent.refresh();
    const at = (time: number) => new Date(time).toISOString();
    const listed = await list(browser);
    expect(listed).toContainEqual(expect.objectContaining({ id: agent.familyId, lastUsedAt: at(site.clock.now()) }));
    expect(listed).toContainEqual(
      expect.objectContaining({ id: other.familyId, lastUsedAt: at(site.clock.now() - 60_000) }),
    );
  });

  it("is widened and narrowed by the person: the new bounds replace the old ones", async () => {
    const { site, browser, agent } = await setUp();
    const expiresAt = new Date(site.clock.now() + 3_600_000).toISOString();
    const uses = { maxUses: 5, hosts: ["api.example", "b.example:8443"], asksEachTime: true };
    const bounds = { maxDeletions: 20, actions: ["read", "delete", "use"], ...uses, expiresAt };
    const changed = await change(browser, { id: agent.familyId, bounds });
    expect(changed).toMatchObject({ status: 200, body: { bounds, used: { deletions: 0, uses: 0 } } });
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

  it("is ended by the person: its token is rejected within 1 s, it gets no other, and it cannot be changed", async () => {
    const { site, browser, agent } = await setUp();
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeDefined();
    expect(await end(browser, agent.familyId)).toMatchObject({ status: 200 });
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
    expect(await end(browser, other.familyId)).toMatchObject({ status: 200 });
    expect(await end(browser, exchanged.grantId)).toMatchObject({ status: 200 });
    site.pass(1_000);
    expect(await site.authenticator.authenticate(other.accessToken)).toBeUndefined();
    expect(await site.authenticator.authenticate(exchanged.accessToken)).toBeUndefined();
    expect(await site.brokerAuthenticator.authenticate(exchanged.brokerToken)).toBeUndefined();
    expect(await other.refresh()).toMatchObject({ ok: false });
    expect(await list(browser)).toMatchObject([{ id: agent.familyId }]);
    expect(await agent.refresh()).toMatchObject({ ok: true });
  });

  it("of another person is neither listed nor changed", async () => {
    const { site, browser, agent } = await setUp();
    const other = await signUpPerson(site);
    expect(await list(other.browser)).toEqual([]);
    expect(await change(other.browser, { id: agent.familyId, bounds: {} })).toMatchObject(ended);
    expect(await list(browser)).toMatchObject([{ bounds: { maxDeletions: 10 } }]);
  });
});

describe("the endpoints of delegations", () => {
  it("reject every other change", async () => {
    const { browser, agent } = await setUp();
    const bounds = [
      { maxDeletions: -1 },
      { actions: [] },
      { vaults: [] },
      { expiresAt: "tonight" },
      { hosts: ["A.b"] },
    ];
    const id = agent.familyId;
    const bodies = [
      {},
      { bounds: {} },
      { id: "", bounds: {} },
      { id, bounds: {}, expected: { maxDeletions: -1 } },
      ...bounds.map((each) => ({ id, bounds: each })),
    ];
    const invalid = { status: 400, body: { reason: "INVALID_REQUEST" } };
    for (const body of bodies) expect(await change(browser, body), JSON.stringify(body)).toMatchObject(invalid);
    expect(await list(browser)).toMatchObject([{ bounds: { vaults: ["v-1"], maxDeletions: 10 } }]);
  });
});
